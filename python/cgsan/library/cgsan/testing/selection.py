"""Which findings fail tests: options of the command, which knows comments and `[tool.cgsan]` by itself."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest

ID = re.compile(r"CG\d{0,3}")


def everywhere(config: pytest.Config) -> list[str]:
    """The options that all tests have, from pytest's command line and its configuration."""
    # Before conftest files are loaded, what was parsed so far.
    options = getattr(config, "known_args_namespace", config.option)
    ignore = [*_listed(options.cgsan_ignore), *config.getini("cgsan_ignore")]
    given = _option("ignore", ignore, "cgsan_ignore")
    given += _option("select", _listed(options.cgsan_select), "--cgsan-select")
    if options.cgsan_baseline:
        given.append(f"--baseline={options.cgsan_baseline}")
    return given


def of_markers(item: pytest.Item) -> list[str]:
    """The options that the markers of a test stand for."""
    ids: list[str] = []
    for marker in item.iter_markers("cgsan"):
        unknown = set(marker.kwargs) - {"ignore"}
        if marker.args or unknown:
            raise pytest.UsageError(
                f'{item.nodeid}: write the marker as `@pytest.mark.cgsan(ignore=["CG119"])`'
            )
        ignore = marker.kwargs.get("ignore", ())
        ids += [ignore] if isinstance(ignore, str) else ignore
    return _option("ignore", ids, item.nodeid)


def _listed(text: str) -> list[str]:
    return [*filter(None, re.split(r"[,\s]+", text))]


def _option(name: str, ids: Iterable[str], where: str) -> list[str]:
    for it in ids:
        if not ID.fullmatch(it):
            raise pytest.UsageError(f"{where}: `{it}` is not the id of a finding, such as CG119")
    return [f"--{name}={','.join(dict.fromkeys(ids))}"] if ids else []
