"""Plain values of the program that a captured function changed, and that no replay changes again."""

import sys
from collections import deque

from . import frames, paths, places, search, stores

# Values looked at before a capture, and after it.
VALUES = 4_000
# Changes told of one capture.
CHANGES = 32
# Characters kept of a text: a longer one is compared by its length.
TEXT = 200
# Samples after which a value counts as one that replays do not change: the first is before any replay.
SEEN = 3

_CONTAINERS = (list, dict, set, deque)


class Snapshot:
    """The plain values that can be reached when a capture begins, by path. It refers to no container."""

    def __init__(self, stack):
        own = [frame for frame in stack if frames.origin(frame.f_code.co_filename) == frames.OWN]
        # Where each frame was when the capture began.
        self._began = {(id(frame), frame.f_code): frame.f_lasti for frame in own}
        self._values = {key: plain for key, plain, *_ in _plain_values(own)} if own else {}

    def changes(self, stack):
        """What is different now, when the capture has ended."""
        if not self._values:
            return []
        found = {}
        codes = None
        for key, after, visited, step, value in _plain_values(stack):
            before = self._values.get(key, paths.MISSING)
            if before is paths.MISSING or _same(before, after) or _ends_with_tensor(value):
                continue
            if self._is_of_capturing_frame(visited, step, stack):
                continue
            if codes is None:
                codes = stores.codes_of(stack)
            change = Change(visited, step, before, after, codes)
            # A variable that a closure shares is met under the same name again.
            found.setdefault((change.name, change.line), change)
            if len(found) >= CHANGES:
                break
        return list(found.values())

    def _is_of_capturing_frame(self, visited, step, stack):
        """Whether it is a variable that the capturing code itself gave a new value, as a loop does; `x += 1` is none."""
        if visited.before is not None:
            return False
        for frame in stack:
            scope = frame.f_globals if not frames.is_function(frame) else None
            if visited.root.frame == (id(frame), frame.f_code) or scope is visited.root.variables:
                began = self._began.get((id(frame), frame.f_code))
                if began is None:
                    continue
                own = stores.in_range(frame.f_code, step[1], began, frame.f_lasti)
                return any(not store.in_place for store in own)
        return False


class Change:
    """A value that a capture changed."""

    def __init__(self, visited, step, before, after, codes):
        self._place = places.Place(visited, step)
        self.name = self._place.name
        self._before = before
        self._after = after
        is_length = type(after) is _Length
        found = stores.the_one(stores.find((visited.path, *step), codes, length=is_length))
        self.file, self.line = found if found is not None else (None, None)
        # At how many samples it was as the capture left it, and whether it was different at one.
        self.unmoved = 0
        self.moved = False

    def sample(self, scopes):
        """Looks at it again."""
        value = self._place.value(scopes)
        now = None if value is paths.MISSING else plain(value)
        if now is None or self.moved:
            return
        if _same(now, self._after):
            self.unmoved += 1
        else:
            self.moved = True

    def is_known(self):
        """Whether it was seen after a replay, so that one can tell: the first sample is before any."""
        return self.moved or self.unmoved >= SEEN

    def describe(self):
        return {
            "name": self.name,
            "before": _text(self._before),
            "after": _text(self._after),
            "is_length": type(self._after) is _Length,
            "moved": self.moved,
            "file": self.file,
            "line": self.line,
        }


class _Length(int):
    """The number of entries of a container."""


def plain(value):
    """A number or a text as it is, the length of a container, or None for anything else."""
    kind = type(value)
    if kind is int or kind is float or kind is bool:
        return value
    if kind is str:
        return value if len(value) <= TEXT else _Length(len(value))
    if kind in _CONTAINERS:
        return _Length(len(value))
    return None


def _plain_values(stack):
    """The plain values that can be reached: each with a key, what holds it, the step from there, and the object."""
    beginnings = search.roots(stack, only_own=True)
    for visited, step, value in search.walk(beginnings, only_own=True, values=VALUES):
        found = plain(value)
        if found is not None:
            root = visited.root
            yield (root.frame, root.module, visited.path, step), found, visited, step, value


def _ends_with_tensor(container):
    """Whether tensors are collected there: what a capture leaves in it is its static output, not state of the host."""
    if type(container) is dict:
        last = next(reversed(container.values()), None)
    elif type(container) in (list, deque) and container:
        last = container[-1]
    else:
        return False
    parts = last if type(last) in (tuple, list) else (last,)
    return any(issubclass(type(part), sys.modules["torch"].Tensor) for part in parts)


def _same(before, after):
    return before is after or (type(before) is type(after) and before == after)


def _text(value):
    return str(int(value)) if type(value) is _Length else repr(value)
