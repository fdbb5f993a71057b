"""The recording of this process and of those that its tests start, while it is made."""

from __future__ import annotations

import contextlib
import glob
import json
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from .agent import running
from .report import Report, of_traces

if TYPE_CHECKING:
    from .agent import Recorder

# Is set where the run itself reports only what its tests have not told.
ONLY_UNTOLD = "CGSAN_UNTOLD"


def run_directory() -> str | None:
    """The folder of the `cgsan run` that this process belongs to; None if it belongs to none that goes on."""
    folder = os.environ.get("CGSAN_RUN_DIRECTORY", "")
    return folder if os.path.isdir(folder) else None


class Recording:
    """What is recorded of the tests of this process, which is one of a run."""

    def __init__(self, folder: str) -> None:
        self._run_directory = os.environ["CGSAN_RUN_DIRECTORY"]
        # Where the command is started: paths are shown relative to it.
        self._folder = folder
        self._test: str | None = None
        self._part = ""
        self._work = 0
        self._known: set[str] = set()

    def begin(self, test: str, piece: str = "") -> None:
        """Begins a part: a test, or a piece of it."""
        self._test = test
        self._part = f"{test} ({piece})" if piece else test
        self._tell("begin", self._part)
        self._work = self._graph_work()

    def report(self, options: Sequence[str] = ()) -> Report | None:
        """What happened in the part, if anything did, in this process or in one that it started; else None.

        With these options of `cgsan report`.
        """
        return self._report([*options, "--part", self._part])

    def report_untold(self, options: Sequence[str] = ()) -> Report | None:
        """The same of all that was not reported yet."""
        return self._report([*options, "--untold"])

    def _report(self, options: Sequence[str]) -> Report | None:
        children = self._children()
        work = self._graph_work()
        self._tell("ends")
        own = self._own_trace() if work != self._work else []
        if not own and not children:
            return None
        found = of_traces([*own, *children], options, self._folder)
        self._work = work
        self._tell("told")
        for trace in children:
            self._put_aside(trace)
        return found

    def _tell(self, what: Literal["begin", "ends", "told"], *arguments: str) -> None:
        agent, recorder = running(), self._recorder()
        if agent is not None and recorder is not None:
            getattr(agent.parts, what)(recorder, *arguments)

    def _graph_work(self) -> int:
        recorder = self._recorder()
        return 0 if recorder is None else recorder.graph_work()

    def _recorder(self) -> Recorder | None:
        agent = running()
        return None if agent is None else agent.recorder()

    def _own_trace(self) -> list[str]:
        """The trace that this process writes; a process that has replaced itself has left others."""
        return self._traces_of(os.getpid())[-1:]

    def _traces_of(self, process: int) -> list[str]:
        found = glob.glob(os.path.join(glob.escape(self._run_directory), f"trace-{process}*.cgsan"))
        own = {f"trace-{process}.cgsan"}
        same = [it for it in found if os.path.basename(it) in own or f"trace-{process}-" in it]
        return sorted(same, key=os.path.getmtime)

    def _children(self) -> list[str]:
        """The traces of processes that the part has started since it was asked last."""
        found: list[str] = []
        if self._test is None:
            return found
        for name in os.listdir(self._run_directory):
            if not name.startswith("status-") or name in self._known:
                continue
            with contextlib.suppress(OSError, ValueError):
                with open(os.path.join(self._run_directory, name), encoding="utf-8") as file:
                    status = json.load(file)
                self._known.add(name)
                if status["pid"] != os.getpid() and status.get("test") == self._test:
                    found += self._traces_of(status["pid"])
        return found

    def _put_aside(self, trace: str) -> None:
        """Removes a trace that was reported and has ended, where nobody is to look at it again."""
        process = os.path.basename(trace).removesuffix(".cgsan").split("-")[1]
        if os.environ.get(ONLY_UNTOLD) and not os.path.exists(f"/proc/{process}"):
            with contextlib.suppress(OSError):
                os.remove(trace)
