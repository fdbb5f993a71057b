"""What the stack of a statement holds while a call in it replays a graph: results of earlier calls of the same function, which are the same
output, as in `compare(run(a), run(b))`."""

import typing

from . import bytecode, frames, paths, spots

_LOADS = (*spots.LOADS_OF_VARIABLES, *spots.CONSTANTS)
# What changes nothing of the stack.
_NOTHING = ("RESUME", "PRECALL", "KW_NAMES", "NOP", "EXTENDED_ARG", "MAKE_CELL", "COPY_FREE_VARS")
# What makes a part of a tensor, and plain indexes: a tensor for an index makes a copy.
_PARTS = ("BINARY_SUBSCR", "BINARY_SLICE")
_VIEWING = (*_PARTS, "BUILD_SLICE", "BUILD_TUPLE")
_INDEXES = (int, type(None), slice, type(...), tuple)
# What leaves a `with` block.
_LEAVING = ("POP_TOP", "CALL", "PRECALL", "LOAD_CONST", "DUP_TOP", "POP_BLOCK")
# How many values are taken for one that is put there: the first that an instruction's name begins with counts.
_TAKING = (
    *(("BINARY_", 2), ("COMPARE_OP", 2), ("IS_OP", 2), ("CONTAINS_OP", 2), ("UNARY_", 1)),
    *(("GET_ITER", 1), ("MAKE_FUNCTION", 1), ("FORMAT_SIMPLE", 1), ("CONVERT_VALUE", 1)),
)
# The same for calls and containers, beside as many as they say themselves.
_TAKING_MORE = (
    *(("CALL_FUNCTION_KW", 2), ("CALL_FUNCTION_EX", None), ("CALL_FUNCTION", 1)),
    *(("CALL_METHOD", 2), ("CALL_KW", 3), ("CALL_INTRINSIC", None), ("CALL", 2)),
    *(("BUILD_CONST_KEY_MAP", 1), ("BUILD_MAP", None), ("BUILD_", 0)),
)


class Value(typing.NamedTuple):
    """A value on the stack: the names that were loaded for it, or those of what was called."""

    names: tuple = ()
    is_result: bool = False


class Statement:
    """A statement of a frame in which a call is running."""

    def __init__(self, frame):
        self._own = bytecode.instructions(frame.f_code)
        self._offset = frame.f_lasti
        # Python may stand in the room behind an instruction.
        self.place = spots.place_behind(self._own, frame.f_lasti) - 1
        call = self._own[self.place]
        self.start, self.line = call.start, call.line
        values, taken = _stack_before(self._own, self.start, self.place), _taken(call)
        is_known = values is not None and taken is not None and len(values) >= taken
        # The names of what is called, and what the stack holds below what the call takes.
        self.called = _called(values[-taken:]) if is_known else ()
        self._others = values[:-taken] if is_known else []

    def has_earlier(self, earlier):
        """Whether the result of an earlier call, which was made as another one is now, is there beside that of this one."""
        is_earlier = earlier.start == self.start and earlier.place < self.place
        is_alike = earlier.called == self.called and self._uses_result()
        return (
            is_earlier
            and is_alike
            and any(it.is_result and it.names == self.called for it in self._others)
        )

    def reads_beside(self, name):
        """Whether a variable is used beside the result of this call that was last given what a call of the same function gave."""
        behind = self._own[self.place + 1 : self.place + 2]
        loaded = [Value((it.value,)) for it in behind if it.name.startswith(_LOADS)]
        is_used = any(not it.is_result and it.names == (name,) for it in (*self._others, *loaded))
        if not is_used or not self._uses_result():
            return False
        place = spots.last_set(self._own, self._offset, spots.Spot(name))
        return place is not None and tuple(spots.called_for(self._own, place)) == self.called

    def _uses_result(self):
        """Whether it is known what is called, and the program asks for more than whether it gave the same object."""
        return bool(self.called) and not spots.compares_identity(self._own, self.place)

    def text(self):
        """The call."""
        return f"{'.'.join(self.called)}(…)"


def given_back(stack, index, address_of):
    """The address of the tensor that the function of a frame gives back as it is, whatever way it goes on; None if it may do otherwise."""
    frame = stack[index]
    own = bytecode.instructions(frame.f_code)
    place = spots.place_behind(own, frame.f_lasti)
    if index and place < len(own) and own[place].name == "RETURN_VALUE":
        return given_back(stack, index - 1, address_of)
    ends = [at for at in bytecode.followers(own, place) if own[at].name.startswith("RETURN")]
    found = {address_of(_returned(frame, own, at)) for at in ends}
    return found.pop() if len(found) == 1 else None


def _returned(frame, own, at):
    """What an instruction gives back that returns names, or a part of what they lead to, in a frame as it is now; None for anything else."""
    end = _before_leaving(own, at)
    first = own[end - 1].start if end else end
    steps = own[first:end]
    length = next(
        (n for n, it in enumerate(steps) if n and it.name not in spots.MEMBERS), len(steps)
    )
    parts = [it for it in steps[length:] if not it.name.startswith(_VIEWING)]
    if not steps or not all(type(_variable(frame, it)) in _INDEXES for it in parts):
        return None
    if len(parts) < len(steps) - length and not steps[-1].name.startswith(_PARTS):
        return None
    value = _variable(frame, steps[0])
    for it in steps[1:length]:
        value = paths.follow(value, paths.ATTRIBUTE, it.value)
    return value


def _before_leaving(own, at):
    """Where that ends which is returned, before what leaves a `with` block on the way."""
    place = at - 1
    if place < 1 or own[place].name != "POP_TOP" or not own[place - 1].name.startswith("CALL"):
        return at
    while place and own[place].name.startswith(_LEAVING):
        place -= 1
    return place if own[place].name in ("SWAP", "ROT_TWO") else at


def _variable(frame, it):
    """What a load gives; None where it is none."""
    if it.name in spots.CONSTANTS:
        return it.value
    if not it.name.startswith(_LOADS) or type(it.value) is not str:
        return None
    return frames.variables(frame).get(it.value, frame.f_globals.get(it.value))


def _stack_before(own, first, end):
    """The values that a statement has on the stack before an instruction; None if it does what is not known here."""
    values = []
    for it in own[first:end]:
        if it.name in _NOTHING:
            continue
        if it.name == "PUSH_NULL":
            values.append(Value())
        elif it.name.startswith(_LOADS):
            values.extend(_loaded(it))
        elif it.name in spots.MEMBERS:
            if not values:
                return None
            before = values.pop()
            if it.loads_to_call():
                values.append(Value())
            is_known = bool(before.names) and not before.is_result
            values.append(Value((*before.names, it.value)) if is_known else Value())
        else:
            taken = _taken(it)
            if taken is None or taken > len(values):
                return None
            below = values[len(values) - taken :]
            del values[len(values) - taken :]
            is_call = it.name.startswith("CALL")
            values.append(Value(_called(below), True) if is_call else Value())
    return values


def _loaded(it):
    """What a load puts on the stack, with the place that some keep for a method's object."""
    if it.name in spots.CONSTANTS:
        return [Value()]
    if type(it.value) is tuple:
        return [Value((name,)) for name in it.value]
    value = Value((it.value,))
    return [Value(), value] if "NULL" in it.text else [value]


def _taken(it):
    """How many values an instruction takes for the one that it puts on the stack; None where that is not known."""
    if it.name.startswith(("CALL", "BUILD_")):
        more = next((more for name, more in _TAKING_MORE if it.name.startswith(name)), None)
        return None if more is None or type(it.value) is not int else it.value + more
    return next((count for name, count in _TAKING if it.name.startswith(name)), None)


def _called(values):
    """The names of what is called, of the values that a call takes."""
    for it in values[:2]:
        if it.names:
            return () if it.is_result else it.names
    return ()
