"""A thread that looks at the program for a few seconds, once it is warm.

| phase | what is there | what for |
|---|---|---|
| warm-up | the clock | `--after` seconds from the first launch on, and until steps repeat |
| undisturbed | the clock | the durations of steps |
| window | the profiler | what the GPU does in a step |
| lines | looks at the main thread | which lines ask for it |
| calls | a profile function of Python | how many equal layers are a step |
| afterwards | the clock | more durations of steps |
"""

import contextlib
import os
import sys
import threading
import time

from .. import interpreter, written
from ..status import write_json
from ..threads import without_signals
from . import lines, marks
from .calls import Calls
from .clock import CAPACITY, REPLAYED, period
from .main_thread import Call
from .window import Window, can_leave, leave

# Seconds that it is waited for steps, and that they have to repeat.
PATIENCE = 20.0
STEADY = 0.5
# Seconds of each phase, and ticks.
PAUSE = 0.005
FIRST_PAUSE = 0.05
UNDISTURBED = (1.0, 3.0)
UNDISTURBED_TICKS = 2_000
LINES = 0.8
# Calls of modules that are noted, and the longest time for it.
CALLS = 64
CALLING = 1.5
AFTERWARDS = 3.0
# A window has this many steps at least, and lasts this many seconds at least and at most. A large one takes long to write, so there
# is a limit to its ticks; a replay counts as several.
STEPS = 24
WINDOW = (0.1, 3.0)
WINDOW_TICKS = 24_000
REPLAY = 10
# Ticks in which a step is looked for.
RECENT = 12_000
# Seconds that a window waits for the end of a capture, and the end of the program for that of a window.
CAPTURE = 30.0
MAIN_THREAD = 5.0
END = 10.0


class Observer:
    """The thread, and what it notes."""

    def __init__(self, clock, is_virtual):
        self._clock = clock
        self._thread = None
        # How many ticks there were when the window began.
        self._ticks = 0
        self._over = threading.Event()
        directory = os.environ["CGSAN_RUN_DIRECTORY"]
        self._prefix = os.path.join(directory, f"perf-{os.getpid()}")
        self._seen = {
            "pid": os.getpid(),
            "rank": os.environ.get("RANK"),
            "executable": written.path(sys.executable),
            "clock": os.path.basename(clock.file),
            "phase": "warm-up",
            "virtual": is_virtual,
            "quiet": [],
            "windows": [],
            "lines": None,
            "calls": [],
            "compiled": [],
            "problems": [],
        }

    def event(self, event):
        """Notes what becomes of the captures of `torch.compile`, in the form of the trace's `AgentEvent`."""
        self._seen["compiled"].append(event)

    def begin(self):
        """Begins to look, in a thread of its own."""
        if self._thread is None:
            self._write()
            self._thread = threading.Thread(target=self._run, name="cgsan perf", daemon=True)
            with without_signals():
                self._thread.start()

    def end(self):
        """Python ends: what was seen is kept."""
        self._over.set()
        if self._thread is not None:
            self._thread.join(END)
            # A thread that is still there writes by itself.
            if not self._thread.is_alive():
                self._write()
        self._clock.stop()

    def _run(self):
        try:
            self._look()
        except Exception as error:  # The program goes on; the report says so.
            self._seen["problems"].append(f"{type(error).__name__}: {error}")
        self._write()

    def _look(self):
        marker = os.environ.get("CGSAN_PERF_MARKER")
        if not self._wait(lambda: self._clock.count() > 0, FIRST_PAUSE):
            return
        if marker:
            marks.listen(self._clock, marker)
        self._pass(float(os.environ.get("CGSAN_PERF_AFTER") or 0))
        self._wait_for_steps()
        self._enter("undisturbed")
        began, ticks = time.monotonic(), self._clock.count()
        with self._quiet():
            self._wait(
                lambda: time.monotonic() - began > UNDISTURBED[1]
                or (
                    time.monotonic() - began > UNDISTURBED[0]
                    and self._clock.count() - ticks > UNDISTURBED_TICKS
                ),
                FIRST_PAUSE,
            )
        self._enter("window")
        if not self._over.is_set():
            self._window()
        self._enter("lines")
        if interpreter.has_gil():
            began = time.monotonic()
            self._seen["lines"] = lines.look(
                lambda: self._over.is_set() or time.monotonic() - began > LINES
            )
        else:
            # The frames of a thread that runs meanwhile cannot be followed without harm.
            self._seen["problems"].append("without the GIL, lines are not looked at")
        self._enter("calls")
        self._note_calls()
        self._enter("afterwards")
        began = time.monotonic()
        with self._quiet():
            # The ticks of the window must not be written over.
            self._wait(
                lambda: (
                    time.monotonic() - began > AFTERWARDS
                    or self._clock.count() - self._ticks > CAPACITY // 2
                ),
                FIRST_PAUSE,
            )
        self._clock.stop()
        self._enter("over")

    def _wait_for_steps(self):
        """Waits until the program has repeated its steps for a while: compilation and first uses are over. Some never do."""
        began = time.monotonic()
        while time.monotonic() - began < PATIENCE and not self._over.is_set():
            whats, times = self._clock.recent(RECENT)
            _, covered = period(whats)
            if covered and (times[0] - times[covered] > STEADY * 1e9 or covered > RECENT // 2):
                return
            self._pass(STEADY / 2)

    @contextlib.contextmanager
    def _quiet(self):
        """A time in which nothing disturbs the program."""
        began = time.monotonic_ns()
        try:
            yield
        finally:
            self._seen["quiet"].append((began, time.monotonic_ns()))

    def _window(self):
        """Profiles some steps."""
        if not Window.is_possible():
            self._seen["problems"].append("the program uses the profiler itself")
            return
        recent, _ = self._clock.recent(RECENT)
        step, _ = period(recent)
        replays = sum(what >> 56 == REPLAYED for what in recent) / max(len(recent), 1)
        most = WINDOW_TICKS / (1 + (REPLAY - 1) * replays)
        window = Window(f"{self._prefix}-window.json")
        if not self._prepare(window) or not self._change(window.begin):
            return
        began, self._ticks = time.monotonic(), self._clock.count()

        def is_enough():
            passed, asked = time.monotonic() - began, self._clock.count() - self._ticks
            if passed > WINDOW[1] or asked > most:
                return True
            return passed > WINDOW[0] and step is not None and asked > STEPS * step

        self._wait(is_enough, PAUSE / 5)
        leaves = not self._seen["virtual"] and can_leave()
        while not self._change(lambda: window.end(leaves)):
            if self._over.is_set():
                return
        if leaves:
            leave()
        self._seen["windows"].append(window.save())

    def _note_calls(self):
        """Notes when the main thread calls modules."""
        calls = Calls()
        began, ticks = time.monotonic(), self._clock.count()

        def is_enough():
            count = len(calls.moments)
            if count > CALLS or time.monotonic() - began > CALLING:
                return True
            # It asks for much work, and calls no module for it.
            return count == 0 and self._clock.count() - ticks > RECENT

        if self._in_main_thread(calls.begin):
            self._wait(is_enough, FIRST_PAUSE)
        self._in_main_thread(calls.end)
        calls.end()
        self._seen["calls"] = calls.moments

    def _prepare(self, window):
        """Gets the profiler ready, in the main thread. Whether that worked."""
        prepared = []

        def prepare():
            # The main thread may have begun a capture meanwhile.
            if self._change(window.prepare, 0):
                prepared.append(window)

        began = time.monotonic()
        while time.monotonic() - began < CAPTURE and not self._over.is_set():
            if not self._in_main_thread(prepare):
                if not self._over.is_set():
                    self._seen["problems"].append("the main thread ran no Python")
                break
            if prepared:
                return True
            self._over.wait(PAUSE)
        return False

    def _in_main_thread(self, what):
        """Calls something in the main thread. Whether it was called before the program's end."""
        return Call(what).make(MAIN_THREAD, self._over.is_set)

    def _change(self, what, patience=CAPTURE):
        """Has a profiler start or end, as soon as nothing captures. Whether it did."""
        began = time.monotonic()
        while not self._clock.may_change():
            if time.monotonic() - began >= patience or self._over.wait(PAUSE):
                return False
        try:
            what()
        finally:
            self._clock.changed()
        return True

    def _pass(self, seconds):
        self._over.wait(seconds)

    def _wait(self, is_enough, pause=PAUSE):
        """Waits for something. Whether it came before the program's end."""
        while not is_enough():
            if self._over.wait(pause):
                return False
        return True

    def _enter(self, phase):
        if not self._over.is_set():
            self._seen["phase"] = phase
            self._write()

    def _write(self):
        """Leaves what was seen so far in the run directory."""
        write_json(f"{os.path.basename(self._prefix)}.json", self._seen)
