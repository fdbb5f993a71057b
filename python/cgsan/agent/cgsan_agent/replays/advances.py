"""Lines that give a value its next one each time they run, as `x += 1` does. What sets something up once is no such line."""

import itertools
import sys
import types

from . import bytecode, paths, stores

# What makes a list longer at each call. A dictionary and a set stay as long when the same comes again.
GROWING = frozenset(["append", "appendleft", "extend", "extendleft", "insert"])
# What is asked of a generator of random numbers without drawing any.
NOT_DRAWING = frozenset(
    ["bit_generator", "getstate", "get_state", "seed", "setstate", "set_state", "spawn"]
)

VALUE, LENGTH, RANDOM, POSITION = "value", "length", "random", "position"
# Numbers in memory, which methods and libraries in C change: what the code does to them, only running it again says.
CONTENTS = "contents"

_ARITHMETIC = ("BINARY_", "INPLACE_", "UNARY_NOT", "UNARY_NEGATIVE", "UNARY_INVERT")
# What gives the same again when it is done again, or looks an entry up.
_IDEMPOTENT = (
    "BINARY_SUBSCR",
    "BINARY_SLICE",
    "BINARY_AND",
    "BINARY_OR",
    "INPLACE_AND",
    "INPLACE_OR",
)
# What goes through an iterator, and methods and functions of Python's that take items from one.
_GOING_THROUGH = ("GET_ITER", "GET_YIELD_FROM_ITER", "UNPACK_", "LIST_EXTEND", "SET_UPDATE")
_TAKING_METHODS = frozenset(["__next__", "send"])
_TAKING = frozenset(
    (
        *("all", "any", "deque", "dict", "enumerate", "filter", "frozenset", "islice", "list"),
        *("map", "max", "min", "next", "reduce", "set", "sorted", "sum", "tuple", "zip"),
    )
)
# Methods of a dictionary that give an entry.
_LOOKING_UP = ("get", "setdefault")
_METHODS = ("method", "builtin_function_or_method")
# Functions that keep a number within bounds, and what calls them.
_BOUNDING = ("max", "min")
_CALLING = ("CALL", "PRECALL")
_MOVING = ("SWAP", "ROT_", "NOP", "EXTENDED")
_DOUBLING = ("COPY", "DUP_")
_PASSING = ("SWAP", "ROT_", "COPY", "DUP_", "LOAD_", "NOP", "EXTENDED", "PUSH_NULL", "PRECALL")


class Line:
    """A line that may have changed a value: anew at each call of its function, or once, as one that sets it up."""

    def __init__(self, code, instruction, sets_up, base=None):
        self.code = code
        self.line = instruction.line
        self.offset = instruction.offset
        self.sets_up = sets_up
        # The name of what has the attribute that is stored.
        self.base = base

    def is_of(self, name, methods):
        """Whether it stores into what has this name, or is a method's own, of which `methods` are those of the object's class."""
        is_own = self.code in methods and self.code.co_varnames[:1] == (self.base,)
        return is_own or (name is not None and self.base == name)

    def describe(self):
        return describe(self.code, self.line, self.sets_up)


def describe(code, line, sets_up=False):
    """A line for the trace, with where its function begins and ends."""
    lines = [number for _, _, number in code.co_lines() if number]
    return {
        "file": code.co_filename,
        "line": line,
        "first": code.co_firstlineno,
        "last": max([*lines, code.co_firstlineno]),
        "sets_up": sets_up,
    }


def find(path, kind, codes):
    """The lines that change what `path` leads to."""
    _, step, key = path
    name = stores.last_name(path[0]) if step == paths.ITEM else key
    if type(name) is not str or kind == CONTENTS:
        return []
    found = []
    for code in codes:
        if not stores.mentions(code, name):
            continue
        if kind == VALUE and step == paths.ITEM:
            places = _entry_advances(code, name, key)
        elif kind == VALUE:
            places = _advances(code, step, name)
        elif kind == LENGTH:
            places = calls(code, path, name, lambda method: method in GROWING)
            if step != paths.ITEM:
                places = [*places, *_advances(code, step, name)]
        elif kind == POSITION:
            places = _takes(code, path, name)
        else:
            places = calls(code, path, name, lambda method: method not in NOT_DRAWING)
        found.extend(_lines(code, places, codes))
    return found


def draws(generator, codes, scope_of):
    """The lines that draw from a generator that Python's or NumPy's functions share; `scope_of` gives the globals of code."""
    found = []
    for code in codes:
        scope = scope_of(code)
        if scope is not None:
            found.extend(_lines(code, _drawing(code, generator, scope), codes))
    return found


def _lines(code, places, codes):
    own = bytecode.instructions(code)
    places = sorted(set(places))
    once = {place for place in places if bytecode.is_set_up(code, place, codes)}
    lasting = [place for place in places if place not in once]
    always = [place for place in lasting if not bytecode.is_conditional(code, place)]
    places = [*(always or lasting), *once]
    return [Line(code, own[place], place in once, _base(own, place)) for place in places]


def _base(own, place):
    """The name of what has the attribute that an instruction stores, also of `x.n += 1`; None if it stores none."""
    if own[place].name != "STORE_ATTR":
        return None
    statement = own[own[place].start : place]
    last = next((it for it in reversed(statement) if not it.name.startswith(_MOVING)), None)
    if last is None:
        return None
    if not last.name.startswith("LOAD_"):
        # The object was loaded once, and then doubled.
        names = [it.name for it in statement]
        doubled = next((at for at, it in enumerate(names) if it.startswith(_DOUBLING)), 0)
        last = statement[doubled - 1] if doubled else statement[0]
    return last.value[-1] if type(last.value) is tuple else last.value


def _advances(code, step, name):
    """Where the variable or the attribute is stored with what is computed from itself, also by way of a local variable."""
    own = bytecode.instructions(code)
    alike, advanced = {name}, set()
    for place, instruction in enumerate(own):
        if not instruction.name.startswith("STORE_"):
            continue
        statement = _assigned(own, place)
        if not any(it.loads(known) for it in statement for known in alike):
            continue
        is_new = _ends_in_arithmetic(statement)
        is_moved = all(it.name.startswith(_PASSING) for it in statement)
        is_moved_on = is_moved and any(it.loads(known) for it in statement for known in advanced)
        if stores.stores_into(instruction, step, name):
            if (is_new or is_moved_on) and (
                step != paths.ATTRIBUTE or _has_one_holder(statement, name)
            ):
                yield place
        elif instruction.name == "STORE_FAST" and (is_new or is_moved):
            alike.add(instruction.value)
            if is_new or is_moved_on:
                advanced.add(instruction.value)


def _assigned(own, place):
    """The instructions whose value is stored, and what has the attribute that it is stored into: of the last of several targets,
    without those of the others."""
    start = own[place].start
    found = own[start:place]
    while start and own[start - 1].name.startswith("STORE_") and _is_holder(found):
        first = own[start - 1].start
        found = [*own[first : start - 1], *found]
        start = first
    return found


def _is_holder(statement):
    """Whether nothing stands before a store but what has the attribute."""
    return len(statement) < 2 and all(it.name.startswith(_PASSING) for it in statement)


def _takes(code, path, name):
    """Where items are taken from an iterator, also by way of a local variable."""
    yield from calls(code, path, name, lambda method: method in _TAKING_METHODS)
    own = bytecode.instructions(code)
    alike = set()
    for place, instruction in enumerate(own):
        statement = own[instruction.start : place + 1]
        is_loaded = leads_to(statement, path, name) or any(instruction.loads(it) for it in alike)
        if not is_loaded or place + 1 == len(own):
            continue
        after = own[place + 1]
        if after.name == "STORE_FAST":
            alike.add(after.value)
        elif after.name.startswith(_GOING_THROUGH) or _is_given(statement):
            yield place


def _is_given(statement):
    """Whether what a statement loads last is given to a function that takes items from it."""
    named = (it for it in statement if it.name.startswith(("LOAD_GLOBAL", "LOAD_NAME")))
    return any(it.value in _TAKING for it in named)


def _has_one_holder(statement, name):
    """Whether the attribute that is read and the one that is stored are of one object, as far as the names tell."""
    read = [place for place, it in enumerate(statement) if place and it.loads(name)]
    if not read:
        return True  # It comes by way of a local variable.
    before = statement[read[0] - 1]
    if before.name.startswith(("COPY", "DUP_")):
        return True
    return _last(before.value) == _last(statement[-1].value)


def _last(value):
    return value[-1] if type(value) is tuple else value


def _entry_advances(code, name, key):
    """Where an entry of the container is stored with what is computed from itself."""
    own = bytecode.instructions(code)
    for place, instruction in enumerate(own):
        if instruction.name != "STORE_SUBSCR":
            continue
        statement = own[instruction.start : place]
        loads = sum(it.loads(name) for it in statement)
        is_own = loads > 1 or any(it.name == "BINARY_SUBSCR" for it in statement)
        if loads and is_own and _may_be_key(statement, key) and _ends_in_arithmetic(statement):
            yield place


def _ends_in_arithmetic(statement):
    """Whether what it stores was computed with an operator that gives something else each time."""
    passing = _PASSING
    if any(it.loads(name) for it in statement for name in _BOUNDING):
        passing = (*_PASSING, *_CALLING)
    last = next((it for it in reversed(statement) if not it.name.startswith(passing)), None)
    if last is None or last.name in _IDEMPOTENT or last.text in ("&", "|", "&=", "|="):
        return False
    return last.name.startswith(_ARITHMETIC)


def calls(code, path, name, is_meant):
    """Where a method of what `path` leads to is called, which goes by the name or is an entry of what does."""
    own = bytecode.instructions(code)
    for place, instruction in enumerate(own):
        if not instruction.loads_to_call() or not is_meant(instruction.value):
            continue
        statement = own[instruction.start : place]
        if statement and leads_to(statement, path, name):
            yield place


def leads_to(statement, path, name):
    """Whether instructions end with loading what `path` leads to."""
    _, step, key = path
    if step != paths.ITEM:
        return statement[-1].loads(name)
    return (
        (statement[-1].name == "BINARY_SUBSCR" or _looks_up(statement, name))
        and any(it.loads(name) for it in statement)
        and _may_be_key(statement, key)
    )


def _looks_up(statement, name):
    """Whether it ends with a call of a method that gives an entry of the dictionary, or makes it."""
    if not statement[-1].name.startswith(_CALLING):
        return False
    return any(
        one.loads(name) and other.value in _LOOKING_UP
        for one, other in itertools.pairwise(statement)
    )


def _may_be_key(statement, key):
    """Whether the constants of a statement leave it open that this key is meant."""
    keys = [it.value for it in statement if it.name == "LOAD_CONST" and type(it.value) is str]
    return type(key) is not str or not keys or key in keys


def _drawing(code, generator, scope):
    imported = {
        it.value for it in bytecode.instructions(code) if it.name == "IMPORT_NAME" and it.value
    }
    value = paths.MISSING
    for place, instruction in enumerate(bytecode.instructions(code)):
        name = instruction.value
        if instruction.name in ("LOAD_GLOBAL", "LOAD_NAME"):
            value = scope.get(name, paths.MISSING)
        elif instruction.name.startswith("LOAD_FAST") and name in imported:
            value = sys.modules.get(name, paths.MISSING)
        elif instruction.name in ("LOAD_ATTR", "LOAD_METHOD") and type(value) is types.ModuleType:
            value = vars(value).get(name, paths.MISSING)
        else:
            value = paths.MISSING
        is_method = type(value).__name__ in _METHODS
        if is_method and value.__self__ is generator and value.__name__ not in NOT_DRAWING:
            yield place
