"""Variables by which a function remembers the output of one of its replays, such as the best one of a loop, for what comes behind it, or
the result of one call beside that of another one.

The output is the same memory at each replay, so what is read there is the last one.
"""

from . import bytecode, frames, variables

# Frames remembered of a graph.
FRAMES = 1_024


class Remembered:
    """What is known of the frames that replay one graph: which of their variables led to outputs when they first did."""

    def __init__(self, tensors):
        self._tensors = tensors
        self._first = {}
        self._told = set()

    def look(self, outputs, stack, codes):
        """The variables of frames in `stack` that got one of `outputs`, addresses, at an earlier replay, and keep it in vain.

        Gives for each, once, the name, what it is, the address, and where it got that. `codes` gives the program's code.
        """
        found = []
        for frame in stack:
            if frames.origin(frame.f_code.co_filename) != frames.OWN:
                continue
            held = dict(variables.holding(self._tensors, frame, outputs))
            first = self._first.get((id(frame), frame.f_code))
            if first is None:
                if len(self._first) < FRAMES:
                    self._first[id(frame), frame.f_code] = frozenset(held)
                continue
            for name, address in held.items():
                key = frame.f_code, name, address
                if name in first or key in self._told:
                    continue
                if not (_remembers(frame, name, codes) or _is_beside_another(frame, name)):
                    continue
                self._told.add(key)
                found.append(variables.kept(name, "variable", address, frame.f_code, None))
        return found


def _is_beside_another(frame, name):
    """Whether what a function's call gives back, which does the replay, gets another variable than what the last call of the same
    function gave, and both are read later."""
    code, offset = frame.f_code, frame.f_lasti
    if not frames.is_function(frame):
        return False
    store = bytecode.store_of_call(code, offset)
    if store is None or store.sets(name):
        return False
    called = bytecode.called_for(code, store.offset)
    earlier = bytecode.last_store(code, offset, name)
    return (
        bool(called)
        and earlier is not None
        and bytecode.called_for(code, earlier.offset) == called
        and bytecode.is_read_later(code, offset, name)
        and any(bytecode.is_read_later(code, store.offset, it) for it in store.set_by_it())
    )


def _remembers(frame, name, codes):
    """Whether a loop around what the frame does now sets a variable under a condition, never uses it, and it is read behind it."""
    code, offset = frame.f_code, frame.f_lasti
    loop = bytecode.outermost_loop(code, offset)
    if not bytecode.is_set_under_condition(code, name, loop):
        return False
    if bytecode.is_used(code, name, loop) or not bytecode.is_read_later(code, offset, name):
        return False
    is_global = not frames.is_function(frame)
    return not is_global or all(it is code or name not in it.co_names for it in codes())
