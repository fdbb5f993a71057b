"""Variables of code that waits while a graph is replayed: coroutines that are suspended, and functions of other threads.

One that got an output of the graph after an earlier replay, and is read when the code goes on, has the numbers of another replay by then.
"""

import sys
import threading
import weakref

from .. import interpreter
from . import frames, spots, variables

# Tasks, and coroutines that one waits for, looked at at one replay; and calls remembered of a graph.
TASKS = 256
DEPTH = 16
CALLS = 1_024


class Waiting:
    """What is known of calls that replayed one graph: which of their variables had outputs when they did."""

    def __init__(self, tensors):
        self._tensors = tensors
        self._coroutines = weakref.WeakKeyDictionary()
        # By thread, frame and code: a frame is referred to by nobody but its thread.
        self._functions = {}
        self._told = {}

    def look(self, outputs):
        """Variables of calls that wait, of those that replayed the graph before, which lead to one of `outputs`, addresses.

        Gives for each, once, the name, the kind of the call, the address, and where it got that.
        """
        found = {}
        own, others = _coroutines()
        for coroutine in others:
            self._compare(
                "coroutine", self._coroutines.get(coroutine), coroutine.cr_frame, outputs, found
            )
        if interpreter.has_gil():
            for key, frame in _functions():
                self._compare("thread", self._functions.get(key), frame, outputs, found)
        for coroutine in own:
            self._note(self._coroutines, coroutine, coroutine.cr_frame, outputs)
        here = threading.get_ident()
        for frame in frames.of_stack():
            self._note(self._functions, (here, id(frame), frame.f_code), frame, outputs)
        news = [it for key, it in found.items() if key not in self._told]
        self._told.update(found)
        return news

    def _note(self, known, call, frame, outputs):
        if frame is not None and (call in known or len(known) < CALLS):
            known[call] = frozenset(
                name for name, _ in variables.holding(self._tensors, frame, outputs)
            )

    def _compare(self, kind, before, frame, outputs, found):
        if before is None or frame is None:
            return
        code = frame.f_code
        for name, address in variables.holding(self._tensors, frame, outputs):
            spot = spots.Spot(name)
            if name in before or not spots.is_read_later(code, frame.f_lasti, spot):
                continue
            kept = variables.kept(spot, kind, address, code, frame.f_lasti)
            found[kind, code, name, address] = kept


def _coroutines():
    """The coroutines that the task of this thread is made of, and those of the other tasks of its loop."""
    asyncio = sys.modules.get("asyncio")
    loop = asyncio and asyncio._get_running_loop()
    if loop is None:
        return [], []
    current = asyncio.current_task(loop)
    own, others = [], []
    for task, _ in zip(asyncio.all_tasks(loop), range(TASKS), strict=False):
        (own if task is current else others).extend(_chain(task.get_coro()))
    return own, others


def _chain(coroutine):
    """A coroutine and those that it waits for, as far as they are the program's."""
    found = []
    while len(found) < DEPTH and hasattr(coroutine, "cr_frame"):
        if frames.origin(coroutine.cr_code.co_filename) != frames.FOREIGN:
            found.append(coroutine)
        coroutine = coroutine.cr_await
    return found


def _functions():
    """The functions of the program that run in other threads, each with what tells its call apart."""
    others = sys._current_frames()
    # A frame that refers to itself would live on, with what its callers refer to.
    others.pop(threading.get_ident(), None)
    for thread, frame in others.items():
        depth = 0
        while frame is not None and depth < frames.FRAMES:
            if frames.origin(frame.f_code.co_filename) == frames.OWN and frames.is_function(frame):
                yield (thread, id(frame), frame.f_code), frame
            frame = frame.f_back
            depth += 1
