"""Asks each ready query of a fleet's folder, which is the working directory, and what is new since another one.

    python queries.py ../earlier

Prints one JSON object: by name, the rows as lists.
"""

import json
import re
import sys
from pathlib import Path

import duckdb

views = re.findall(r"^CREATE OR REPLACE VIEW (\w+) AS$", Path("queries.sql").read_text(), re.M)
with duckdb.connect("fleet.duckdb", read_only=True) as fleet:
    answers = {view: fleet.sql(f"FROM {view}").fetchall() for view in views}
    answers["new_since"] = fleet.sql(f"FROM new_since('{sys.argv[1]}')").fetchall()
    tables = ["processes", "events", "captures", "findings", "steps"]
    answers["rows"] = {
        table: fleet.sql(f"SELECT count(*) FROM {table}").fetchall()[0][0] for table in tables
    }
json.dump(answers, sys.stdout, default=str)
