"""`%load_ext cgsan`: explains a cell that failed with CUDA graphs, below its traceback."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Protocol

from . import command, watching
from .explanation import explain
from .report import Finding


class Shell(Protocol):
    """The part of IPython's shell that is used here."""

    cgsan: Cells

    @property
    def events(self) -> Events: ...

    @property
    def history_manager(self) -> History: ...

    def transform_cell(self, raw_cell: str) -> str: ...


class Events(Protocol):
    """Calls functions when something happens to a cell."""

    def register(self, event: str, function: Callable[[Ran], None]) -> None: ...

    def unregister(self, event: str, function: Callable[[Ran], None]) -> None: ...


class History(Protocol):
    """The cells that ran, as Python."""

    input_hist_parsed: list[str]


class Ran(Protocol):
    """A cell that has run."""

    info: Info
    error_in_exec: BaseException | None


class Info(Protocol):
    """What it was."""

    raw_cell: str


def load_ipython_extension(shell: Shell) -> None:
    """Has each cell that fails looked at from now on."""
    unload_ipython_extension(shell)
    shell.cgsan = Cells(shell)
    shell.events.register("post_run_cell", shell.cgsan.ran)


def unload_ipython_extension(shell: Shell) -> None:
    """Ends that."""
    cells = getattr(shell, "cgsan", None)
    if cells is not None:
        shell.events.unregister("post_run_cell", cells.ran)
        del shell.cgsan


class Cells:
    """The cells of a notebook, in the order in which they run."""

    def __init__(self, shell: Shell) -> None:
        self._shell = shell

    def ran(self, result: Ran) -> None:
        """Explains a cell that has failed, if it is about CUDA graphs; of a watched process, tells what was found in it."""
        try:
            found = self._found_by_watch()
            if found:
                print(*found, sep="\n\n")
            elif result.error_in_exec is not None:
                self._explain(result.error_in_exec, result.info.raw_cell)
        except (command.CommandMissing, command.CommandFailed) as error:
            print(f"cgsan: {error}")

    def _found_by_watch(self) -> list[Finding]:
        """What was found in this cell, if the process is watched."""
        watch = watching.current
        return [] if watch is None else watch.report().findings

    def _explain(self, exception: BaseException, cell: str) -> None:
        explanation = explain(exception)
        if explanation and explanation.about_graphs and explanation.no_failure_of_a_graph != 1:
            print(*[explanation, *self._found_in_source(cell)], sep="\n\n")

    def _found_in_source(self, cell: str) -> list[str]:
        """What the linter says of a cell, which goes on with what the cells before it have defined."""
        source = self._shell.transform_cell(cell)
        earlier = list(self._shell.history_manager.input_hist_parsed)
        if earlier and earlier[-1].strip() == source.strip():
            earlier.pop()
        before = "".join(f"{it}\n" for it in earlier)
        # 1 says that there are findings.
        options = ["lint", "--format", "json", "--quiet", "-"]
        found = command.run(options, text=before + source, statuses=(0, 1))
        first = before.count("\n")
        return [
            _told(finding, finding["location"]["line"] - first)
            for finding in json.loads(found)["findings"]
            if finding["location"]["line"] > first
        ]


def _told(finding: dict[str, Any], line: int) -> str:
    helps = "".join(f"\n  help: {it}" for it in finding["help"])
    return f"{finding['id']} in line {line} of this cell: {finding['title']}{helps}"
