"""Whether what runs in a captured region empties a container before it fills it: then each call leaves the same there."""

import types

from . import advances, bytecode, frames, paths, stores

# What PyTorch or Python calls without naming it.
UNNAMED = ("forward", "__call__")
_MADE_EMPTY = ("BUILD_LIST", "BUILD_MAP")
# What a function begins with.
_AT_BEGIN = ("RESUME", "COPY_FREE_VARS", "MAKE_CELL", "RETURN_GENERATOR")
_INTO_SLICES = ("STORE_SUBSCR", "STORE_SLICE")
_FUNCTIONS = (types.FunctionType, types.MethodType)


def lines(path, codes):
    """The code and the instructions that empty, at each call, what `path` leads to, or the container that this is an entry of."""
    sought = [path] if path[1] != paths.ITEM or path[0] is None else [path, path[0]]
    for code in codes:
        for each in sought:
            for place in _emptying(code, each):
                if not bytecode.is_conditional(code, place):
                    yield code, bytecode.instructions(code)[place]


class Region:
    """The code that a captured region may run, seen from the frames that capture, with where each was when the capture began."""

    def __init__(self, stack, began, codes):
        self._codes = codes
        self._reached = set()
        for frame in stack:
            first = began.get((id(frame), frame.f_code))
            if first is not None:
                self._reach_from(frame, first)

    def __contains__(self, code):
        return code in self._reached

    def _reach_from(self, frame, first):
        names = _loaded(frame.f_code, first, frame.f_lasti)
        variables = frames.variables(frame) if frames.is_function(frame) else frame.f_globals
        values = [variables.get(name, frame.f_globals.get(name)) for name in names]
        functions = [getattr(it, "__func__", it) for it in values if type(it) in _FUNCTIONS]
        self._reach(names, [it.__code__ for it in functions])

    def _reach(self, names, found):
        """Code that goes by one of the names, and code that this leads to."""
        names = {*names, *UNNAMED}
        while True:
            found = [*found, *(it for it in self._codes if it.co_name in names)]
            # What replays a graph is beside the region.
            found = [it for it in found if it not in self._reached and "replay" not in it.co_names]
            if not found:
                return
            self._reached.update(found)
            names = {name for code in found for name in code.co_names}
            found = [inner for code in found for inner in bytecode.inner(code)]


def _loaded(code, first, last):
    """The names that code loads from one instruction to another, or around a loop."""
    names = set()
    for instruction in bytecode.instructions(code):
        is_amid = last < first or first <= instruction.offset <= last
        if is_amid and instruction.name.startswith("LOAD_"):
            value = instruction.value
            names.update(value if type(value) is tuple else (value,))
    return {name for name in names if type(name) is str}


def _emptying(code, path):
    """Where what `path` leads to is cleared, or made anew without entries."""
    _, step, key = path
    name = stores.last_name(path[0]) if step == paths.ITEM else key
    if type(name) is not str or not stores.mentions(code, name):
        return
    yield from advances.calls(code, path, name, lambda method: method == "clear")
    own = bytecode.instructions(code)
    for place, instruction in enumerate(own):
        statement = [it for it in own[instruction.start : place] if it.name not in _AT_BEGIN]
        if not statement:
            continue
        is_made = statement[0].name in _MADE_EMPTY
        # A variable of a function's own only has the name.
        is_variable = "FAST" in instruction.name
        if is_made and not is_variable and stores.stores_into(instruction, step, key):
            yield place
        if instruction.name == "DELETE_SUBSCR" or (is_made and instruction.name in _INTO_SLICES):
            container = _sliced_as_a_whole(statement)
            if container and advances.leads_to(container, path, name):
                yield place


def _sliced_as_a_whole(statement):
    """What leads to a container of which `[:]` is meant; empty if another part is."""
    *before, last = statement
    if last.name == "LOAD_CONST" and last.value == slice(None):
        return before
    if last.name != "BUILD_SLICE":
        before = statement
    ends = [it for it in before[-2:] if it.name == "LOAD_CONST" and it.value is None]
    return before[:-2] if len(ends) == 2 else []
