"""Where the program's code stores a name, an attribute or an entry of a container."""

import types

from . import bytecode, frames, paths

# Code objects looked at for one name.
CODES = 2_000
# Decorators looked behind.
WRAPPERS = 8

# The method of a module that may assign its parameters.
LOADING = "load_state_dict"

# Methods of containers that add to them.
ADDING = frozenset(
    ("add", "append", "appendleft", "extend", "extendleft", "insert", "setdefault", "update")
)

# Lines kept of those that use one name.
USES = 256

_STORES = {
    paths.NAME: ("STORE_NAME", "STORE_GLOBAL", "STORE_FAST", "STORE_DEREF"),
    paths.CELL: ("STORE_DEREF",),
    paths.ATTRIBUTE: ("STORE_ATTR",),
}


class Store:
    """An instruction that stores."""

    def __init__(self, code, line, offset, in_place, base=None):
        self.code = code
        self.file = code.co_filename
        self.line = line
        self.offset = offset
        # `x += 1` and its kin, and methods that change a container.
        self.in_place = in_place
        # The name of what has the attribute.
        self.base = base

    def is_method(self):
        """Whether it gives an attribute to the object that a method is called of. Python 3.10 does not say what is a method."""
        code = self.code
        owner = getattr(code, "co_qualname", "").rpartition(".")[0]
        is_function = not owner or owner.endswith("<locals>")
        return code.co_varnames[:1] == (self.base,) and not is_function

    def sets_up(self):
        """Whether it gives an attribute to an object that is being made."""
        code = self.code
        return code.co_name == "__init__" and code.co_varnames[:1] == (self.base,)


def find(path, codes, length=False):
    """All stores to what `path` leads to; with `length`, also what changes the length of the container there."""
    before, kind, key = path
    container = None
    if kind == paths.ITEM:
        container = last_name(before)
        if container is None:
            return []
    found = []
    for code in codes:
        if kind == paths.ITEM:
            if mentions(code, container):
                found.extend(_changes(code, container, ("STORE_SUBSCR",), frozenset()))
        elif mentions(code, key):
            found.extend(_assignments(code, kind, key))
            if length:
                found.extend(
                    _changes(code, key, ("STORE_SUBSCR", "DELETE_SUBSCR"), bytecode.CHANGING)
                )
    return found


def adding(path, codes):
    """The only line that adds to a container of the name at `path`, or None if there are several or none."""
    container = last_name(path)
    lines = {
        (store.file, store.line)
        for code in codes
        if container is not None and mentions(code, container)
        for store in _changes(code, container, ("STORE_SUBSCR",), ADDING)
    }
    return lines.pop() if len(lines) == 1 else None


def uses(step, codes):
    """The files and lines that load the variable or the attribute of that name."""
    kind, key = step
    if kind == paths.ITEM:
        return []
    found = {}
    for code in codes:
        if mentions(code, key):
            for instruction in bytecode.instructions(code):
                if instruction.loads(key):
                    found[code.co_filename, instruction.line] = None
                if len(found) >= USES:
                    return list(found)
    return list(found)


def of_states(codes):
    """The lines that have PyTorch assign the parameters of a module: calls of `load_state_dict` with `assign`."""
    found = []
    for code in codes:
        if not mentions(code, LOADING):
            continue
        loads = None
        for instruction in bytecode.instructions(code):
            if instruction.value == LOADING:
                loads = instruction
            elif loads is not None and type(instruction.value) is tuple:
                if "assign" in instruction.value:
                    found.append(Store(code, loads.line, instruction.offset, False))
                loads = None
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


def of_object(stores, holder, place):
    """Those that may give an object its attribute: by its own methods or by the name of `place`, or if none does, by other names."""
    methods = of_class(type(holder))
    before, *_ = place.changed_path()
    name = last_name(before)
    own = [it for it in stores if it.base == name or (it.is_method() and it.code in methods)]
    return own or [it for it in stores if not it.is_method()]


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


def of_class(kind):
    """The code of the program's methods that objects of this class have."""
    found = {}
    for base in type.__dict__["__mro__"].__get__(kind):
        _add_object(found, base)
    return list(found)


def with_inner(code):
    """This code and that of the functions inside of it."""
    found = {}
    _add(found, code)
    return list(found)


def _add_object(found, value):
    kind = type(value)
    if kind is types.FunctionType:
        _add_function(found, value)
    elif kind is types.ModuleType and frames.is_own_module(value.__name__):
        for inside in list(vars(value).values()):
            if type(inside) is not types.ModuleType:
                _add_object(found, inside)
    elif issubclass(kind, type):
        for inside in list(type.__dict__["__dict__"].__get__(value).values()):
            if type(inside) in (staticmethod, classmethod):
                inside = inside.__func__
            elif type(inside) is property:
                inside = inside.fget
            if type(inside) is types.FunctionType:
                _add_function(found, inside)


def _add_function(found, function):
    """The function's code, and that of what a decorator has wrapped, such as `torch.no_grad`."""
    for _ in range(WRAPPERS):
        _add(found, function.__code__)
        function = vars(function).get("__wrapped__")
        if type(function) is not types.FunctionType:
            return


def _add(found, code):
    if code in found or len(found) >= CODES or frames.origin(code.co_filename) != frames.OWN:
        return
    found[code] = None
    for inner in bytecode.inner(code):
        _add(found, inner)


def last_name(path):
    """The name or attribute by which code refers to the container at `path`."""
    if path is None or path[1] == paths.ITEM:
        return None
    return path[2]


def mentions(code, name):
    """Whether code has a variable or an attribute of this name."""
    return (
        name in code.co_names
        or name in code.co_varnames
        or name in code.co_cellvars
        or name in code.co_freevars
    )


def loads(code, name):
    """Whether code loads a variable or an attribute of this name."""
    return mentions(code, name) and any(it.leads_to(name) for it in bytecode.instructions(code))


def _assignments(code, kind, key):
    in_place = False
    base = None
    for instruction in bytecode.instructions(code):
        name = instruction.name
        if stores_into(instruction, kind, key):
            yield Store(code, instruction.line, instruction.offset, in_place, base)
        value = instruction.value
        # Since Python 3.13, one instruction may stand for two: what it loads last is used first.
        base = value[-1] if type(value) is tuple and value else value
        if not name.startswith(("SWAP", "ROT_", "COPY", "LOAD_", "NOP", "EXTENDED")):
            in_place = name.startswith("INPLACE_") or (
                name == "BINARY_OP" and instruction.text.endswith("=")
            )


def stores_into(instruction, kind, key):
    """Whether an instruction stores into the variable or the attribute of this name."""
    names = _STORES.get(kind, ())
    if instruction.name in names:
        return instruction.value == key
    # Since Python 3.13, one instruction may stand for two, and name both.
    if instruction.name.startswith("STORE_FAST_") and "STORE_FAST" in names:
        return bytecode.names_both(instruction.value, key)
    return False


def _changes(code, container, stores, methods):
    """The lines that name `container`, and then store into it or call one of `methods`."""
    named_at = None
    for instruction in bytecode.instructions(code):
        if instruction.loads(container):
            named_at = instruction.line
        elif instruction.line == named_at and (
            instruction.name in stores
            or (instruction.name in ("LOAD_METHOD", "LOAD_ATTR") and instruction.value in methods)
        ):
            yield Store(code, instruction.line, instruction.offset, True)
