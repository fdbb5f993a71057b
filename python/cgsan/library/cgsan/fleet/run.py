"""A job of a fleet, from paths to a folder with a report."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from . import database, engines, merged
from .collected import Collected
from .examine import Work
from .traces import find


class NoTraces(RuntimeError):
    """There is nothing to analyse."""


@dataclass(frozen=True)
class Outcome:
    """What came of a job."""

    # How many traces there were.
    traces: int
    # Those that could not be read, each with the reason.
    lost: list[tuple[str, str]]
    # The status of `cgsan report`: 1 with `--strict` if there are findings.
    status: int
    # The report as text.
    text: str


def run(
    paths: Sequence[str],
    output: str,
    engine: engines.Name = "local",
    workers: int | None = None,
    address: str | None = None,
    with_tables: bool = True,
    sources: Iterable[str] = (),
    report_options: Iterable[str] = (),
) -> Outcome:
    """Has workers analyse the traces at these paths, and writes the report on all of them into the folder `output`.

    With `with_tables`, tables, the page of the fleet and the file of queries, too. Lines below the folders of `sources` may be shown;
    `report_options` are for `cgsan report`.
    Raises `NoTraces`, `PackageMissing`, and what `cgsan.command.run` does.
    """
    if with_tables:
        database.check()
    traces = find(paths)
    if not traces:
        raise NoTraces(f"no traces in {', '.join(paths)}")
    os.makedirs(output, exist_ok=True)
    collected = Collected(output)
    work = Work(with_tables, tuple(os.path.abspath(path) for path in sources))
    for examined in engines.named(engine)(work, traces, workers, address):
        collected.add(examined)
    if len(collected.lost) == len(traces):
        raise NoTraces(f"no trace could be read; the first: {min(collected.lost)[1]}")
    summaries, lost = collected.finish()
    status, text = merged.report(summaries, lost, output, report_options)
    if with_tables:
        merged.findings(summaries, collected.tables)
        collected.put_tables_in_place()
        merged.page(output)
        database.write(output)
    return Outcome(len(traces), collected.lost, status, text)
