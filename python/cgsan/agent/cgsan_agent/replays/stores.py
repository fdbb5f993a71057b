"""Where the program's code stores a name, an attribute or an entry of a container."""

import dis
import types

from . import frames, paths

# Code objects looked at for one name.
CODES = 2_000

# What changes a container in place.
CHANGING = frozenset(
    [
        "append",
        "appendleft",
        "extend",
        "extendleft",
        "insert",
        "add",
        "update",
        "setdefault",
        "pop",
        "popleft",
        "popitem",
        "remove",
        "discard",
        "clear",
    ]
)

_LOADS = ("LOAD_NAME", "LOAD_GLOBAL", "LOAD_FAST", "LOAD_DEREF", "LOAD_ATTR", "LOAD_CLASSDEREF")
_STORES = {
    paths.NAME: ("STORE_NAME", "STORE_GLOBAL", "STORE_FAST", "STORE_DEREF"),
    paths.CELL: ("STORE_DEREF",),
    paths.ATTRIBUTE: ("STORE_ATTR",),
}


class Store:
    """An instruction that stores."""

    def __init__(self, code, line, offset, in_place):
        self.code = code
        self.file = code.co_filename
        self.line = line
        self.offset = offset
        # `x += 1` and its kin, and methods that change a container.
        self.in_place = in_place


def find(path, codes, length=False):
    """All stores to what `path` leads to; with `length`, also what changes the length of the container there."""
    before, kind, key = path
    container = None
    if kind == paths.ITEM:
        container = _last_name(before)
        if container is None:
            return []
    found = []
    for code in codes:
        if kind == paths.ITEM:
            if _mentions(code, container):
                found.extend(_changes(code, container, ("STORE_SUBSCR",), frozenset()))
        elif _mentions(code, key):
            found.extend(_assignments(code, kind, key))
            if length:
                found.extend(_changes(code, key, ("STORE_SUBSCR", "DELETE_SUBSCR"), CHANGING))
    return found


def the_one(stores):
    """The only line that can have done it, or None if that is unclear. What sets a value up first is no change."""
    later = [store for store in stores if store.code.co_name not in ("__init__", "<module>")]
    for candidates in ([s for s in stores if s.in_place], later, stores):
        lines = {(store.file, store.line) for store in candidates}
        if len(lines) == 1:
            return lines.pop()
        if lines:
            return None
    return None


def in_range(code, name, first, last):
    """The stores to the variable `name` by `code` itself between two of its instructions."""
    return [
        store
        for store in _assignments(code, paths.NAME, name)
        if last < first or first <= store.offset <= last
    ]


def codes_of(stack):
    """The code of the program's own functions that can be seen from these frames, each once."""
    found = {}
    for frame in stack:
        if frames.origin(frame.f_code.co_filename) == frames.OWN:
            _add(found, frame.f_code)
            for value in list(frame.f_globals.values()):
                _add_object(found, value)
    return list(found)


def with_inner(code):
    """This code and that of the functions inside of it."""
    found = {}
    _add(found, code)
    return list(found)


def _add_object(found, value):
    kind = type(value)
    if kind is types.FunctionType:
        _add(found, value.__code__)
    elif kind is types.ModuleType and frames.is_own_module(value.__name__):
        for inside in list(vars(value).values()):
            if type(inside) is not types.ModuleType:
                _add_object(found, inside)
    elif issubclass(kind, type):
        for inside in list(type.__dict__["__dict__"].__get__(value).values()):
            if type(inside) in (staticmethod, classmethod):
                inside = inside.__func__
            if type(inside) is types.FunctionType:
                _add(found, inside.__code__)


def _add(found, code):
    if code in found or len(found) >= CODES or frames.origin(code.co_filename) != frames.OWN:
        return
    found[code] = None
    for constant in code.co_consts:
        if type(constant) is types.CodeType:
            _add(found, constant)


def _last_name(path):
    """The name or attribute by which code refers to the container at `path`."""
    if path is None or path[1] == paths.ITEM:
        return None
    return path[2]


def _mentions(code, name):
    return (
        name in code.co_names
        or name in code.co_varnames
        or name in code.co_cellvars
        or name in code.co_freevars
    )


def _instructions(code):
    """The instructions with their lines."""
    line = code.co_firstlineno
    lines = {start: number for start, _, number in code.co_lines() if number is not None}
    for instruction in dis.get_instructions(code):
        line = lines.get(instruction.offset, line)
        yield instruction, line


def _assignments(code, kind, key):
    names = _STORES[kind]
    in_place = False
    for instruction, line in _instructions(code):
        name = instruction.opname
        if _stores_into(instruction, names, key):
            yield Store(code, line, instruction.offset, in_place)
        if name != "CACHE" and not name.startswith(
            ("SWAP", "ROT_", "COPY", "LOAD_", "NOP", "EXTENDED")
        ):
            in_place = name.startswith("INPLACE_") or (
                name == "BINARY_OP" and instruction.argrepr.endswith("=")
            )


def _stores_into(instruction, names, key):
    if instruction.opname in names:
        return instruction.argval == key
    # Since Python 3.13, one instruction may stand for two, and name both.
    if instruction.opname.startswith("STORE_FAST_") and "STORE_FAST" in names:
        return _names_both(instruction, key)
    return False


def _names_both(instruction, key):
    value = instruction.argval
    return key in value if type(value) is tuple else value == key


def _loads(instruction, name):
    kind = instruction.opname
    if kind.startswith("LOAD_FAST_LOAD_FAST"):
        return _names_both(instruction, name)
    return kind.startswith(_LOADS) and instruction.argval == name


def _changes(code, container, stores, methods):
    """The lines that name `container`, and then store into it or call one of `methods`."""
    named_at = None
    for instruction, line in _instructions(code):
        if _loads(instruction, container):
            named_at = line
        elif line == named_at and (
            instruction.opname in stores
            or (
                instruction.opname in ("LOAD_METHOD", "LOAD_ATTR") and instruction.argval in methods
            )
        ):
            yield Store(code, line, instruction.offset, True)
