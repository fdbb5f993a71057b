"""What the command found, as objects: the fields of its JSON report (docs/json.md) are attributes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING

from . import command

if TYPE_CHECKING:
    from . import fields


class Finding(SimpleNamespace):
    """One root cause. As a string, it is what `cgsan run` prints."""

    id: str
    title: str
    confidence: fields.Confidence
    location: fields.Location | None
    call: fields.Call | None
    thread: fields.Thread | None
    capture: fields.Capture | None
    labels: list[fields.Label]
    notes: list[str]
    help: list[str]
    consequences: list[fields.Consequence]
    stack: list[fields.Location]
    native_stack: list[str]
    threads: list[fields.StandingThread]
    count: int
    processes: list[fields.Process]
    rendered: str

    def __str__(self) -> str:
        return getattr(self, "rendered", None) or f"{self.id}: {self.title}"


class Report:
    """What was found, and what was captured."""

    def __init__(
        self,
        findings: Iterable[Finding] = (),
        graphs: Iterable[fields.Graph] = (),
        has_judged: bool = False,
    ) -> None:
        self.findings = list(findings)
        self.graphs = list(graphs)
        # Whether there was anything that could have failed: a capture, or a replay.
        self.has_judged = has_judged

    def __str__(self) -> str:
        return "\n\n".join(map(str, self.findings)) or "no findings"

    def __repr__(self) -> str:
        ids = [finding.id for finding in self.findings]
        return f"<cgsan report: findings {ids}, {len(self.graphs)} graphs>"


def of_traces(traces: Sequence[str], options: Sequence[str], folder: str | None = None) -> Report:
    """Has the command report on traces of the own run, which may be written on still. Raises what `command.run` does."""
    shown = ["--json", "--rendered", "--graphs", "--sources", "/"]
    text = command.run(["report", *shown, *options, "--", *traces], folder=folder)
    found = json.loads(text, object_hook=lambda fields: SimpleNamespace(**fields))
    findings = [Finding(**vars(finding)) for finding in found.findings]
    coverage = found.coverage
    has_judged = coverage is not None and coverage.captures + coverage.replays > 0
    return Report(findings, found.graphs or (), has_judged)
