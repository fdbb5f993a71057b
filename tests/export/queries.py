"""Runs the queries of docs/export.md in DuckDB and in Polars, as they stand there, on the tables in the folder `tables`.

    python queries.py docs/export.md

Prints one JSON object: what each engine answered to each query, in order.
"""

import json
import re
import sys
from pathlib import Path

page = Path(sys.argv[1]).read_text()
queries = re.findall(r"```sql\n(.*?)```", page, re.DOTALL)
engines = re.findall(r"```python\n(import (\w+)\n.*?)```", page, re.DOTALL)

answers = {}
for code, name in engines:
    names = {}
    exec(code, names)
    answers[name] = [names["query"](query) for query in queries]
json.dump(answers, sys.stdout, default=int)
