"""In a child: values of the host that a region moves on each time that it runs, and the lines that do so.

What a method, a setter or a library in C does to a value, its line does not say. So the region runs twice: what both runs change by the
same amount is moved on at each call. What is set up once, or is computed from other things, is not.
"""

import contextlib
import gc
import itertools
import math
import sys
import time
import weakref

from ..replays import advances, frames, host_snapshot, onlookers, places, plain_values
from ..replays.plain_values import Contents, Length
from ..replays.windows import Window

# Seconds of the processor that the first run may take if there is to be another one, and the other one.
SECONDS = 1
# Values that are looked for.
VALUES = 32
# Entries that are looked at of a set.
ENTRIES = 256
# Where addresses of memory lie.
ADDRESSES = 1 << 32
# What calls a function where an object ends.
_FINALIZE = weakref.finalize.__call__.__code__
_PLAIN = (int, float, bool, str, bytes, type(None))


class Steps:
    """The values of the host as they are before the region runs for the first time."""

    def __init__(self, has_cuda):
        plain_values.reads_tensors = has_cuda
        self._stack = frames.of_stack()
        self._before = None if onlookers.are_tracing() else host_snapshot.Snapshot(self._stack)
        self._began = time.process_time()

    def found(self, run_again):
        """Of what is different now, what the region moves on when it runs again: what `places.Place.key` says of each, with the line."""
        if self._before is None or time.process_time() - self._began > SECONDS:
            return []
        scopes = places.Scopes(self._stack)
        changed = itertools.islice(self._before.changed(self._stack), VALUES)
        watched = [
            _Value(before, after, places.Place(visited, step), scopes)
            for before, after, visited, step, _ in changed
        ]
        watched = [it for it in watched if it.may_step()]
        if not watched:
            return []
        tracer = _Tracer(watched)
        gc.disable()  # When it runs, and what it calls, is none of the region's doing.
        sys.settrace(tracer.enter)
        try:
            if run_again().stopped is not None:
                return []
        finally:
            sys.settrace(None)
        onlooking = onlookers.codes()
        return [
            (*it.place.key(), advances.describe(*it.line))
            for it in watched
            if it.line is not None and it.line[0] not in onlooking and it.has_stepped()
        ]


class _Value:
    """A value that the first run has changed."""

    def __init__(self, before, after, place, scopes):
        self._first = before
        self._second = after
        self._scopes = scopes
        self.place = place
        # The code and the number of the line that changed it in the second run.
        self.line = None

    def may_step(self):
        """Whether it is of a kind that can be moved on."""
        kind = type(self._second)
        return type(self._first) is kind and (
            kind in (bool, int, float, Contents)
            or (issubclass(kind, Length) and kind is not Window)
        )

    def has_changed(self):
        """Whether it is another one than after the first run."""
        return not plain_values.same(self._second, self._now())

    def has_stepped(self):
        """Whether the second run has moved it on as the first one did."""
        now = self._now()
        if type(now) is not type(self._second):
            return False
        if type(now) is bool:
            return self._first != self._second != now
        if isinstance(now, Length):
            container = self.place.value(self._scopes)
            return _is_same_step(self._first, self._second, now) and _has_plain_entries(container)
        if type(now) is not Contents:
            return _is_same_step(self._first, self._second, now)
        numbers = (self._first.numbers(), self._second.numbers(), now.numbers())
        steps = [it for it in zip(*numbers, strict=False) if not it[0] == it[1] == it[2]]
        return bool(steps) and all(_is_same_step(*it) for it in steps)

    def _now(self):
        return plain_values.plain(self.place.value(self._scopes))


def _is_same_step(first, second, third):
    """Whether a number was moved on by the same amount twice; what may be an address was not."""
    step = second - first
    is_moved = bool(step) and math.isclose(step, third - second, rel_tol=1e-5)
    return is_moved and not (isinstance(third, int) and third >= ADDRESSES)


def _has_plain_entries(container):
    """Whether what was put there is no object of this run alone, and no address of one."""
    if isinstance(container, set):
        entries = list(itertools.islice(container, ENTRIES))
    elif isinstance(container, dict):
        entries = list(next(reversed(dict.items(container)), ()))
    else:
        entries = [container[-1]] if container else []
    parts = [part for it in entries for part in (it if type(it) is tuple else (it,))]
    return all(type(it) in _PLAIN and not (type(it) is int and it >= ADDRESSES) for it in parts)


def _is_own(code):
    """Whether it is the program's, and not made by a library, as methods of data classes are."""
    return code.co_filename != "<string>" and frames.origin(code.co_filename) == frames.OWN


class _Tracer:
    """Looks at values whenever a line of the program's own code has run."""

    def __init__(self, values):
        self._left = values
        self._line = None
        self._until = time.process_time() + SECONDS

    def enter(self, frame, _event, _argument):
        """What Python calls when a function begins."""
        code = frame.f_code
        if code is _FINALIZE or code.co_name == onlookers.FINALIZER:
            self._note(None)
            return self._ends_object
        if not _is_own(code):
            return None
        return self._next(frame, "call", None)

    def _ends_object(self, _frame, _event, _argument):
        """What runs in a finalizer is not told: values that it changes are left out."""
        self._note(None)
        return self._ends_object

    def _next(self, frame, event, _argument):
        at = frame.f_back if event == "return" and frame.f_back is not None else frame
        if _is_own(at.f_code):
            self._note((at.f_code, at.f_lineno))
        return self._next

    def _note(self, line):
        """Has what changed until now be the work of the line before, and takes note of the next one."""
        if time.process_time() > self._until:
            self._left = []
        with contextlib.suppress(Exception):
            self._look()
        self._line = line

    def _look(self):
        left = []
        for it in self._left:
            if it.has_changed():
                it.line = self._line
            else:
                left.append(it)
        self._left = left
