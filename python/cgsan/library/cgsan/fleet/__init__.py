"""Many traces on many machines: each is analysed where it lies, and what was found is merged into one report.

    python -m cgsan.fleet --engine ray --output out s3://bucket/traces

The engines are Ray, Spark, and this machine alone. Workers run the command `cgsan` on one trace at a time; only what is known of
its process (a summary) and its rows of the tables travel. The report is made of the summaries by `cgsan report`, as it would be of the
traces. See docs/fleet.md.

| module | what it does |
|---|---|
| `traces` | finds traces below paths, and fetches one |
| `examine` | what a worker does with a trace |
| `engines` | have workers do it: `local`, `ray_tasks`, `spark_job` |
| `collected` | writes down what comes back |
| `merged` | the report and the page, by the command |
| `database`, `queries` | the DuckDB file with ready queries |
"""

from .missing import PackageMissing
from .run import NoTraces, Outcome, run

__all__ = ["NoTraces", "Outcome", "PackageMissing", "run"]
