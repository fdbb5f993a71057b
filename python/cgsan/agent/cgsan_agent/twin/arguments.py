"""What the functions of the program that a region calls are given: numbers, and tensors of some sizes.

A replay stands for a call with what the capture was given. A function that is given no number has its numbers from the program's state,
which the region finds as it is now.
"""

import contextlib
import gc
import types

from torch import Tensor

from ..replays import frames
from . import callers

# Functions told of, sizes kept of one, entries looked at of a container, and how deep containers may lie in one another.
FUNCTIONS = 64
SIZES = 64
ENTRIES = 64
DEPTH = 3
NUMBERS = frozenset((int, float, complex, bool))


class Arguments:
    """What one run of a region gives to the functions that it calls."""

    def __init__(self):
        # By file and name.
        self._functions = {}
        self._seen = set()

    def meet(self, frame, root):
        """Takes note of what the outermost function was given by which the region's code, `root`, has come to a frame."""
        called = None
        while frame is not None and frame.f_code is not root:
            if frames.origin(frame.f_code.co_filename) != frames.FOREIGN:
                called = frame
            frame = frame.f_back
        if frame is None or called is None:
            return
        # A frame of another call may lie at the same place: that is told apart where the region calls it.
        call = id(called), called.f_code, frame.f_lasti
        if call not in self._seen:
            self._seen.add(call)
            with contextlib.suppress(Exception):  # Tensors of some classes have no sizes.
                self._add(called)

    def as_plain(self):
        """What can be kept of it."""
        return [
            {"file": file, "function": name, **kinds, "sizes": sorted(sizes)}
            for (file, name), (kinds, sizes) in self._functions.items()
        ]

    def _add(self, frame):
        code = frame.f_code
        key = code.co_filename, code.co_name
        if key not in self._functions and len(self._functions) >= FUNCTIONS:
            return
        nothing = {"numbers": False, "truths": False, "tensors": False}, set()
        kinds, sizes = self._functions.setdefault(key, nothing)
        variables = frames.variables(frame)
        given = {name: variables.get(name) for name in callers.parameters(code)}
        for name in _left_out(code, given):
            del given[name]
        for value in given.values():
            _look_at(value, kinds, sizes, DEPTH)


def _left_out(code, given):
    """The parameters that have a plain value by default, and that one."""
    if not any(type(it) in NUMBERS for it in given.values()):
        return set()
    functions = [it for it in gc.get_referrers(code) if type(it) is types.FunctionType]
    found = set()
    for it in functions:
        positions = code.co_varnames[: code.co_argcount]
        defaults = it.__defaults__ or ()
        own = {
            **dict(zip(positions[::-1], defaults[::-1], strict=False)),
            **(it.__kwdefaults__ or {}),
        }
        found.update(name for name, value in own.items() if given.get(name) is value)
    return found


def _look_at(value, kinds, sizes, depth):
    kind = type(value)
    if kind in NUMBERS:
        kinds["truths" if kind is bool else "numbers"] = True
    elif isinstance(value, Tensor):
        kinds["tensors"] = True
        if len(sizes) < SIZES:
            sizes.update(map(int, value.shape))
    elif isinstance(value, (dict, list, tuple)) and depth:
        entries = value.values() if isinstance(value, dict) else value
        for _, it in zip(range(ENTRIES), entries, strict=False):
            _look_at(it, kinds, sizes, depth - 1)
