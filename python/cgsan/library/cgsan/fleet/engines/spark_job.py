"""Spark: a job with a task for a few items each. Spark starts a task again whose worker or machine has gone."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from ..missing import package
from . import Item, Result

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# How often a task may fail.
FAILURES = 4
# Items of a task: starting one takes a while, and one that fails begins anew.
TOGETHER = 8


def results(
    work: Callable[[Item], Result],
    items: Iterable[Item],
    workers: int | None = None,
    address: str | None = None,
) -> Iterator[Result]:
    """See the package. `address` is the master of a cluster; without one, and without `spark-submit`, Spark runs here."""
    session = _session(workers, address)
    try:
        context = session.sparkContext
        given = list(items)
        parts = max(1, min(len(given), max(context.defaultParallelism, -(-len(given) // TOGETHER))))
        keep = package("pyspark").StorageLevel.DISK_ONLY
        # All is computed at once, and kept on the disks of the workers: what comes back is in memory part by part.
        done = context.parallelize(given, parts).map(work).persist(keep)
        done.count()
        yield from done.toLocalIterator()
    finally:
        session.stop()


def _session(workers: int | None, address: str | None) -> SparkSession:
    builder = package("pyspark", ".sql").SparkSession.builder.appName("cgsan.fleet")
    builder = builder.config("spark.ui.showConsoleProgress", "false")
    if address:
        builder = builder.master(address)
    elif "PYSPARK_GATEWAY_PORT" not in os.environ:
        # Spark's own local mode takes the first failure for the last.
        builder = builder.master(f"local[{workers or '*'},{FAILURES}]")
        builder = builder.config("spark.ui.enabled", "false")
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    session: SparkSession = builder.getOrCreate()
    return session
