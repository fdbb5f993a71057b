"""`cgsan.watch()`: watches a process that was not started by `cgsan run`, from before it imports PyTorch."""

from __future__ import annotations

import atexit
import itertools
import json
import os
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from typing import TYPE_CHECKING

from . import command
from .recording import Recording, run_directory
from .report import Report

if TYPE_CHECKING:
    from typing_extensions import Self

    from .report import Finding

KEEPER = os.path.join(os.path.dirname(__file__), "keeper.py")

# The watch of this process, from its begin to its end.
current: Watch | None = None
# How the ids begin of what is wrong with graphs that were captured.
OF_GRAPHS = ("CG2", "CG3")

# What was told of graphs, in all watches.
_told: set[tuple[object, ...]] = set()
# The numbers of the parts that are reported apart, in all watches.
_parts = itertools.count(1)
# What keeps the folder of the run, and ends with this process.
_keeper: subprocess.Popen[bytes] | None = None


class Unwatchable(RuntimeError):
    """This process cannot be watched any more, or not here."""


def watch(virtual: bool = False, values: bool = True) -> Watch:
    """Watches this process from now on, on the GPU, or on a virtual one where there is none or `virtual` asks for it.

    To be called before PyTorch is imported: the GPU has to be there by then. With `values`, the virtual GPU computes what
    operators compute. What is found goes to standard error when the program ends; `stop()` gives it earlier. A program under
    `cgsan run` leaves that to its report.

    Raises `cgsan.Unwatchable` where that is too late, and `cgsan.CommandMissing` where the command is not installed.
    """
    global current
    if current is None:
        if run_directory() is None:
            _prepare(virtual, values)
        current = Watch()
        if _keeper is not None:
            atexit.register(_program_ends, current)
    return current


class Watch:
    """A process that is watched. As a context, it ends with the block."""

    def __init__(self) -> None:
        self._recording = Recording(os.getcwd())
        self._begin()

    def report(self) -> Report:
        """What was found and captured since this was called last. What goes on being wrong with a graph is told once."""
        found = self._recording.report()
        if found is None:
            return Report()
        self._begin()
        found.findings = [finding for finding in found.findings if _is_news(finding)]
        return found

    def stop(self) -> Report:
        """The same, for the last time."""
        global current
        if current is not self:
            return Report()
        current = None
        return self.report()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        _print(self.stop())

    def _begin(self) -> None:
        self._recording.begin(f"cgsan.watch {next(_parts)}")


def _is_news(finding: Finding) -> bool:
    """Whether a finding was not told yet: each replay of a graph may show again, at another line, what is wrong with it."""
    if finding.id[:3] not in OF_GRAPHS or finding.capture is None:
        return True
    what = frozenset(label.text for label in finding.labels)
    known = (finding.id, finding.title, finding.capture.file, finding.capture.line, what)
    if known in _told:
        return False
    _told.add(known)
    return True


def _prepare(virtual: bool, values: bool) -> None:
    """Makes what `cgsan run` gives a process that it starts."""
    global _keeper
    if "torch" in sys.modules:
        raise Unwatchable(
            "PyTorch has been imported, and what watches it has to be there before: call `cgsan.watch()` first, or start the "
            "program by `cgsan run -- python …`"
        )
    options = ["--virtual"] if virtual else []
    options += [] if values else ["--no-values"]
    words = ["run", "--hang-timeout=0", "--output=/dev/null", *options, "--"]
    _keeper = subprocess.Popen(
        [command.find(), *words, sys.executable, "-S", KEEPER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        # Ctrl-C is for this process.
        start_new_session=True,
    )
    assert _keeper.stdout is not None
    told = _keeper.stdout.readline()
    if not told:
        raise Unwatchable("`cgsan run` did not start; what it said is on standard error")
    os.environ.update(json.loads(told))
    _begin_to_watch(os.path.join(os.environ["CGSAN_RUN_DIRECTORY"], "agent"))


def _begin_to_watch(agent: str) -> None:
    """What Python would have done at its start."""
    file = os.path.join(agent, "sitecustomize.py")
    spec = spec_from_file_location("cgsan_start", file)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    module.install(agent)


def _program_ends(watch: Watch) -> None:
    if watch is current:
        _print(watch.stop())


def _print(report: Report) -> None:
    if report.findings:
        print(report, file=sys.stderr)
