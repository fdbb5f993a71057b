"""The attributes that the package declares for reports are those of the schema, with null where that has it."""

import inspect
import json
from pathlib import Path

from cgsan import fields, report

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "crates/render/schema/report.v1.json").read_text(encoding="utf-8"))


def may_be_null(field):
    kinds = [field.get("type"), *(it.get("type") for it in field.get("oneOf", []))]
    return any("null" in (it or ()) for it in kinds)


declarations = [*inspect.getmembers(fields, inspect.isclass), ("Finding", report.Finding)]
compared = 0
for name, declared in declarations:
    schema = SCHEMA["$defs"].get(name.lower())
    if schema is None or declared.__module__ not in (fields.__name__, report.__name__):
        continue
    wanted = {it: may_be_null(field) for it, field in schema["properties"].items()}
    found = {it: "None" in kind for it, kind in declared.__annotations__.items()}
    assert found == wanted, f"{name}: {set(found.items()) ^ set(wanted.items())}"
    compared += 1
assert compared == 13, compared
