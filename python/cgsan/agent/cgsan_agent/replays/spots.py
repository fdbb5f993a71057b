"""Variables, and attributes of what variables lead to, as code reads them and gives them other values."""

import itertools
import typing

from . import bytecode

# How members are loaded and set, how variables are loaded, and how what is called is.
MEMBERS = ("LOAD_ATTR", "LOAD_METHOD")
_SET_MEMBERS = ("STORE_ATTR", "DELETE_ATTR")
LOADS_OF_VARIABLES = ("LOAD_NAME", "LOAD_GLOBAL", "LOAD_FAST", "LOAD_DEREF")
_LOADS_OF_CALLED = (*LOADS_OF_VARIABLES, *MEMBERS)
CONSTANTS = ("LOAD_CONST", "LOAD_SMALL_INT")
# What Python puts beside calls.
_BESIDE_CALLS = ("PUSH_NULL", "RESUME", "PRECALL")
# What tells of a tensor's form and place, and nothing of what it holds.
_OF_FORM = frozenset(
    (
        *(
            "data_ptr",
            "device",
            "dim",
            "dtype",
            "element_size",
            "is_contiguous",
            "is_cuda",
            "layout",
        ),
        *("ndim", "numel", "requires_grad", "shape", "size", "storage_offset", "stride"),
        "untyped_storage",
    )
)
# How the load of a variable is compared, whichever kind of variable it is.
_NAME = "LOAD_"
# What leads from one value to another one without a call.
_LEADING = (_NAME, "BINARY_SUBSCR", "BINARY_SLICE", "BUILD_SLICE", "BUILD_TUPLE")


class Spot(typing.NamedTuple):
    """A variable, or an attribute of what it leads to."""

    name: str
    attribute: str | None = None
    # Of a tuple, the entries that are meant.
    entries: tuple[int, ...] = ()

    @property
    def own_name(self):
        """The name by itself: that of the attribute, if it is one."""
        return self.name if self.attribute is None else self.attribute

    def is_whole(self):
        """Whether it is all that a variable leads to."""
        return self.attribute is None and not self.entries

    def text(self):
        """What the program writes for it."""
        if len(self.entries) == 1:
            return f"{self.name}[{self.entries[0]}]"
        return self.name if self.attribute is None else f"{self.name}.{self.attribute}"

    def is_read(self, own, at):
        """Whether an instruction reads it."""
        if self.attribute is None:
            return own[at].reads(self.name)
        return own[at].name in MEMBERS and self._is_member(own, at)

    def is_set(self, own, at):
        """Whether an instruction gives it another value, or none."""
        if self.attribute is None:
            return own[at].sets(self.name)
        return own[at].name in _SET_MEMBERS and self._is_member(own, at)

    def _is_member(self, own, at):
        return own[at].value == self.attribute and at > 0 and _loads_last(own[at - 1], self.name)


def _loads_last(instruction, name):
    return "LOAD" in instruction.name and _last_name(instruction) == name


def _last_name(instruction):
    """The name that an instruction loads, the last one of several."""
    value = instruction.value
    return value[-1] if type(value) is tuple and value else value


def is_set_under_condition(code, spot, loop):
    """Whether it gets its value in a loop, and not in each turn."""
    own = bytecode.instructions(code)
    first, last = loop
    sets = [at for at, it in enumerate(own) if first <= it.offset <= last and spot.is_set(own, at)]
    return bool(sets) and all(bytecode.is_under_condition(code, at, first) for at in sets)


def is_used(code, spot, loop):
    """Whether a loop reads what it holds. What leaves the loop is no part of it."""
    own = bytecode.instructions(code)
    first, last = loop
    return any(
        first <= it.offset <= last
        and _reads_contents(own, at, spot)
        and any(own[place].offset == first for place in bytecode.followers(own, at))
        for at, it in enumerate(own)
    )


def is_read_later(code, offset, spot):
    """Whether what it holds may be read behind an instruction, by this code, before it gets another value."""
    own = bytecode.instructions(code)
    return any(
        _reads_contents(own, at, spot) for at in _until_set(own, place_behind(own, offset), spot)
    )


def has_reader_later(code, offset, attribute):
    """Whether an attribute of this name may be read behind an instruction, of whatever object."""
    own = bytecode.instructions(code)
    behind = bytecode.followers(own, place_behind(own, offset))
    return any(own[at].name in MEMBERS and own[at].value == attribute for at in behind)


def is_renewed_each_turn(code, offset, spot):
    """Whether each turn of a loop around an instruction, behind it, reads what it holds and then gives it another value: what it has then
    is for the next turn. Where there is no loop, each call is such a turn for an attribute."""
    own = bytecode.instructions(code)
    behind = _until_set(own, place_behind(own, offset), spot)
    loops = bytecode.loops(code, offset)
    if not loops and spot.attribute is not None:
        leaves = any(own[at].name.startswith("RETURN") for at in behind)
        return not leaves and _is_read_and_set(own, behind, spot)
    return any(
        all(own[at].offset != first for at in behind)
        and _is_read_and_set(own, [at for at in behind if first <= own[at].offset <= last], spot)
        for _, first, last in loops
    )


def _is_read_and_set(own, places, spot):
    is_read = any(
        _reads_contents(own, at, spot) and not _adds_to(own, _statement(own, at), spot)
        for at in places
    )
    return is_read and any(spot.is_set(own, at) for at in places)


def is_beside_the_next(code, offset, spot):
    """Whether one statement behind an instruction reads what it holds, and beside that what is had in the same way from then on, at once or
    by another variable: the output of one replay and that of another one. What a loop reads by itself is the newest one on purpose."""
    own = bytecode.instructions(code)
    behind = _until_set(own, place_behind(own, offset), spot)
    ways = [_assigned(own, at) for at in range(len(own)) if spot.is_set(own, at)]
    ways = [way for way in ways if any(kind == _NAME for kind, _ in way)]
    reads = [at for at in range(len(own)) if _reads_contents(own, at, spot)]
    beside = {
        at for at in reads if any(_is_read_beside(own, at, way, behind, spot) for way in ways)
    }
    return bool(beside & behind) and not any(
        _is_read_by_a_loop(code, at, spot) for at in reads if at not in beside
    )


def _is_read_by_a_loop(code, at, spot):
    """Whether an instruction is in a loop that does not give it another value."""
    own = bytecode.instructions(code)
    return any(
        not any(
            spot.is_set(own, place) for place, it in enumerate(own) if first <= it.offset <= last
        )
        for _, first, last in bytecode.loops(code, own[at].offset)
    )


def _is_read_beside(own, read, way, behind, spot):
    """Whether the statement of an instruction goes a way, or reads another variable that was given what is there."""
    statement = _statement(own, read)
    if _adds_to(own, statement, spot):
        return False  # The sum itself tells of it.
    if all(kind.startswith(_LEADING) for kind, _ in way) and _has(own, statement, way):
        return True
    others = ((at, _set_by(own, at)) for at in behind if _assigned(own, at) == way)
    return any(
        other not in (None, spot)
        and any(_reads_contents(own, place, other) for place in statement)
        and read in _until_set(own, at + 1, other)
        for at, other in others
    )


def is_result_beside_another(code, offset, name):
    """Whether what a call gives back that does the replay gets another variable than what the last call of the same function gave, and
    what both hold is read later."""
    own = bytecode.instructions(code)
    place = place_behind(own, offset)
    behind = own[place].set_by_it() if place < len(own) else ()
    spot = Spot(name)
    if not behind or spot.is_set(own, place):
        return False
    called = called_for(own, place)
    earlier = last_set(own, offset, spot)
    return (
        bool(called)
        and earlier is not None
        and called_for(own, earlier) == called
        and _is_read_from(own, place, spot)
        and any(_is_read_from(own, place + 1, Spot(it)) for it in behind)
    )


def line_of_last_set(code, offset, spot):
    """The line that last gave it a value, up to an instruction if one is given; 0 if there is none. In a loop, that may have been behind the
    instruction, in the turn before."""
    own = bytecode.instructions(code)
    place = last_set(own, offset, spot)
    loops = sorted(bytecode.loops(code, offset)) if offset is not None else ()
    for _, first, last in loops:
        if place is not None and own[place].offset >= first:
            break
        behind = last_set(own, last, spot)
        place = place if behind is None or own[behind].offset < first else behind
    return own[place].line if place is not None else 0


def _is_read_from(own, place, spot):
    return any(_reads_contents(own, at, spot) for at in _until_set(own, place, spot))


def _until_set(own, place, spot):
    """The places that may come up to where it gets another value."""

    def is_end(at):
        return spot.is_set(own, at) and not spot.is_read(own, at)

    return bytecode.followers(own, place, is_end)


def place_behind(own, offset):
    """The place of the first instruction behind an offset."""
    return next((place for place, it in enumerate(own) if it.offset > offset), len(own))


def last_set(own, offset, spot):
    """The place of the instruction that last gave it a value, up to an offset if one is given; None if there is none."""
    places = [
        at
        for at, it in enumerate(own)
        if (offset is None or it.offset <= offset) and spot.is_set(own, at)
    ]
    return places[-1] if places else None


def _reads_contents(own, at, spot):
    """Whether an instruction reads it for more than to see whether it has a value, which one it is, and what form that has."""
    if not spot.is_read(own, at):
        return False
    value = own[at].value
    if spot.attribute is None and type(value) is tuple and value[-1] != spot.name:
        return not compares_identity(own, at)
    if spot.entries and _index_of(own, at) not in (None, *spot.entries):
        return False
    behind = own[at + 1 : at + 2]
    if behind and behind[0].name in MEMBERS and behind[0].value in _OF_FORM:
        return False
    asks_for_none = behind and behind[0].is_jump() and "NONE" in behind[0].name
    return not asks_for_none and not compares_identity(own, at)


def _index_of(own, at):
    """The number of the entry that is taken from what an instruction loads; None where that is not all that is done with it."""
    index, taken = (*own[at + 1 : at + 3], None, None)[:2]
    is_entry = taken is not None and index.name in CONSTANTS and taken.name == "BINARY_SUBSCR"
    return index.value if is_entry and type(index.value) is int else None


def compares_identity(own, at):
    """Whether what an instruction gives is compared with another object for being the same one."""
    names = itertools.dropwhile(
        lambda it: it.startswith("LOAD_"), (it.name for it in own[at + 1 : at + 4])
    )
    return next(names, None) == "IS_OP"


def _set_by(own, at):
    """The variable or the attribute that an instruction gives a value."""
    if own[at].name == "STORE_ATTR" and at:
        last = _last_name(own[at - 1])
        is_of_variable = own[at - 1].name.startswith(LOADS_OF_VARIABLES)
        return Spot(last, own[at].value) if is_of_variable and type(last) is str else None
    names = own[at].set_by_it()
    return Spot(names[0]) if names else None


def _assigned(own, at):
    """What leads to the value that an instruction assigns, as steps that can be compared."""
    end = at - 1 if own[at].name == "STORE_ATTR" else at
    return _steps(own, own[at].start, end)


def _steps(own, first, end):
    found = []
    if first and own[first - 1].name.startswith("STORE_FAST_LOAD_FAST"):
        found.append((_NAME, own[first - 1].value[1]))
    for it in own[first:end]:
        if it.name in _BESIDE_CALLS:
            continue
        if it.name.startswith("LOAD_FAST") and type(it.value) is tuple:
            found.extend((_NAME, name) for name in it.value)
        elif it.name.startswith(LOADS_OF_VARIABLES):
            found.append((_NAME, it.value))
        else:
            found.append((it.name, it.value))
    return found


def _adds_to(own, statement, spot):
    """Whether a statement changes in place what is there, as `x += y` does."""
    return spot.is_set(own, statement[-1]) and any(
        own[at].name.startswith("INPLACE_")
        or (own[at].name == "BINARY_OP" and own[at].text[-1:] == "=")
        for at in statement
    )


def _statement(own, at):
    """The places of the statement that an instruction is part of."""
    first = own[at].start
    end = next((place for place in range(at, len(own)) if own[place].start > first), len(own))
    return range(first, end)


def _has(own, statement, way):
    """Whether a statement goes a way, and uses more than the form of what is there."""
    steps = _steps(own, statement.start, statement.stop)
    length = len(way)
    return any(
        steps[at : at + length] == way and not _is_of_form(steps[at + length : at + length + 1])
        for at in range(len(steps) - length + 1)
    )


def _is_of_form(behind):
    return any(kind in MEMBERS and name in _OF_FORM for kind, name in behind)


def called_for(own, end):
    """What a statement calls first whose last instruction this is, as names; nothing where it is no call of a name."""
    statement = [it for it in own[own[end].start : end] if it.name not in _BESIDE_CALLS]
    found = list(itertools.takewhile(lambda it: it.name.startswith(_LOADS_OF_CALLED), statement))
    # What is loaded behind the function's own name are its arguments.
    names = [it.value for it in found[:1]]
    names += [it.value for it in itertools.takewhile(lambda it: it.name in MEMBERS, found[1:])]
    return names if "CALL" in own[end - 1].name else []
