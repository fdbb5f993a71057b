"""What callers of the region set before they run it: where a replay stands for such a call, it stands for one with other values."""

import contextlib
import sys

from ..replays import bytecode, frames, paths, stores
from . import numbers

# Values that are set back, and functions that set them.
SET_BACK, SETTERS = 64, 16


class Setters:
    """The values of now that were others at the capture, and that functions set which are not on their way to this replay."""

    def __init__(self, before, source, variables):
        self._before = dict(before)
        self._source = source
        self._variables = variables
        self._stack = list(_stack())
        self._codes = stores.codes_of(self._stack)
        # The functions that set them, each with the line.
        self.functions = []

    def set_back(self):
        """Gives those values what they were at the capture. Whether there are any."""
        back = []
        for name, visited, (kind, key), value in list(
            numbers.places(self._source, self._variables)
        ):
            then = self._before.get(name)
            is_same = (type(then), then) == (type(value), value)
            if kind != paths.ATTRIBUTE or then is None or is_same:
                continue
            setters = self._of(visited, key)
            if setters and len(back) < SET_BACK:
                back.append((visited.value, key, then))
                self.functions.extend(it for it in setters if it not in self.functions)
        for holder, key, then in back:
            with contextlib.suppress(Exception):
                setattr(holder, key, then)
        return bool(back) and len(self.functions) <= SETTERS

    def _of(self, visited, key):
        """The functions that set an attribute of an object; none if one of them may have set it for this replay."""
        methods = stores.of_class(type(visited.value))
        found = []
        for it in stores.find((None, paths.ATTRIBUTE, key), self._codes):
            is_of_others = it.sets_up() or (it.is_method() and it.code not in methods)
            # Before the capture, it is what the capture was given.
            if is_of_others or self._is_before_capture(it):
                continue
            if self._may_be_for_this_replay(it):
                return []
            found.append({"file": it.file, "function": it.code.co_name, "line": it.line})
        return found

    def _may_be_for_this_replay(self, store):
        """Whether a function that runs now may have come by this store on its way here, or comes by it after each replay."""
        if store.in_place or store.code.co_name == "<module>":
            return True
        return any(
            frame.f_code is store.code
            and (store.offset < frame.f_lasti or _comes_next(store, frame))
            for frame in self._stack
        )

    def _is_before_capture(self, store):
        """Whether the code of the module, which runs once, came by this store on its way to the capture."""
        source = self._source
        is_of_module = store.code is source.code and not source.is_function()
        if not is_of_module or store.line >= source.line:
            return False
        running = [it for it in self._stack if it.f_code is store.code]
        return not any(_is_in_one_loop(store, it) for it in running)


def _stack():
    """The program's frames that run now."""
    frame = sys._getframe(1)
    while frame is not None:
        if frames.origin(frame.f_code.co_filename) == frames.OWN:
            yield frame
        frame = frame.f_back


def _is_in_one_loop(store, frame):
    """Whether a function goes around a loop over both a store and where it is now."""
    first, last = bytecode.outermost_loop(frame.f_code, frame.f_lasti)
    return first <= store.offset <= last


def _comes_next(store, frame):
    """Whether a function may come by a store from where it is now."""
    own = bytecode.instructions(frame.f_code)
    # A frame that calls may stand behind the instruction that is told of.
    here = max((at for at, it in enumerate(own) if it.offset <= frame.f_lasti), default=0)
    return any(own[at].offset == store.offset for at in bytecode.followers(own, here))
