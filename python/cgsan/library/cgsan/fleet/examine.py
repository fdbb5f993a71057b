"""What a worker does with a trace: runs the command on it, and gives back what is known of the process."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass, field

from .. import command
from .traces import Trace, at_hand

# How often the command is started on a trace whose process is killed, as by the kernel where memory runs out.
ATTEMPTS = 4


@dataclass(frozen=True)
class Examined:
    """What came of a trace."""

    trace: Trace
    # The summary of its process, as text; empty if the trace could not be read.
    summary: str = ""
    # Its rows of the tables: the content of each file, by its path in the folder of the tables.
    tables: dict[str, bytes] = field(default_factory=dict)
    # Why it is lost, if it is.
    lost: str | None = None


@dataclass(frozen=True)
class Work:
    """What is wanted of each trace."""

    with_tables: bool = True
    # Folders whose lines of source a report may show.
    sources: tuple[str, ...] = ()

    def __call__(self, trace: Trace) -> Examined:
        """Analyses a trace. Whatever is wrong with it is said in what comes back: one trace does not end a job."""
        try:
            with at_hand(trace) as (folder, name), tempfile.TemporaryDirectory() as made:
                return self._examined(trace, name, folder, made)
        except Exception as error:
            # Stores raise errors of their own.
            return Examined(trace, lost=_reason(error))

    def _examined(self, trace: Trace, name: str, folder: str | None, made: str) -> Examined:
        within = [] if trace.within is None else ["--within", trace.within]
        summary = os.path.join(made, "process.cgsan-summary")
        tables = os.path.join(made, "tables")
        options = [word for path in self.sources for word in ("--sources", path)]
        options += ["--tables", tables] if self.with_tables else []
        _run(["summarize", "--output", summary, *options, *within, "--", name], folder)
        with open(summary, encoding="utf-8") as file:
            text = file.read()
        if text.count("\n") < 2:
            # Among those of a folder, one that cannot be read is no error; by itself, it is.
            _run(["summarize", "--output", summary, "--", name], folder)
        return Examined(trace, text, _files_below(tables))


def _reason(error: Exception) -> str:
    """What is wrong, in the words of the command: `error: …` in its first line, and what to do about it below."""
    _, found, said = str(error).partition("error: ")
    return said.splitlines()[0] if found else str(error)


def _run(arguments: list[str], folder: str | None) -> None:
    for attempt in range(1, ATTEMPTS + 1):
        try:
            command.run(arguments, folder=folder)
            return
        except command.CommandFailed as error:
            if not error.was_killed or attempt == ATTEMPTS:
                raise


def _files_below(folder: str) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    for above, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(above, name)
            with open(path, "rb") as file:
                files[os.path.relpath(path, folder)] = file.read()
    return files
