"""Whether a number that a captured region moves on matters to nobody: no code of the program reads it but the region itself, for no more
than to choose an entry or to make a name."""

import builtins
import sys
import types

from . import bytecode, frames, paths, stores

# What reads attributes without naming them.
_READING_ALL = frozenset(
    (
        *("__dict__", "__getstate__", "asdict", "astuple", "attrgetter", "dump", "dumps"),
        *("getattr", "getmembers", "save", "vars"),
    )
)
# Where the modules of the bases are from of which a class may be: none of their methods reads what the program's own class adds.
_KNOWN_BASES = ("builtins", "torch.nn.modules.module")
# Instructions that choose an entry by what was loaded last, or make a text of it.
_CHOOSING = ("BINARY_SUBSCR", "FORMAT_", "CONVERT_VALUE")
# Instructions that read an attribute.
_OF_ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD")
# Instructions that look an entry up or store it, and what stands for the use of all entries.
_STORING = "STORE_SUBSCR"
_OF_ENTRIES = ("BINARY_SUBSCR", _STORING)
_WHOLE = "all entries"

READ, CHOOSES, UNREAD = "read", "chooses", "unread"


def use(visited, step, lines, codes, is_of_region):
    """How the program uses the number one step from what was visited, which these lines move on. `is_of_region` is asked of code and one
    of its instructions."""
    path = (visited.path, *step)
    name = stores.last_name(path[0]) if path[1] == paths.ITEM else path[2]
    if type(name) is not str or not lines or _may_be_read_by_others(path, visited.value, codes):
        return READ
    moving = {(line.code, _statement(line.code, line.offset)) for line in lines}
    is_variable = _is_variable(path[0] if path[1] == paths.ITEM else path, visited.root)
    found = UNREAD
    for code in codes:
        for instruction, after in _reads(code, name, path):
            if is_variable and instruction.name in _OF_ATTRIBUTES:
                continue
            if (code, instruction.start) in moving:
                continue
            if not after.startswith(_CHOOSING) or not is_of_region(code, instruction):
                return READ
            found = CHOOSES
    return found


def _is_variable(path, root):
    """Whether it is a variable of a function, which no attribute of its name leads to."""
    before, kind, _ = path
    return kind == paths.CELL or (before is None and kind == paths.NAME and root.frame is not None)


def _reads(code, name, path):
    """The instructions that load the number, or what it is an entry of, each with the name of the one that uses it."""
    if not stores.mentions(code, name):
        return
    own = bytecode.instructions(code)
    for place, instruction in enumerate(own):
        if not instruction.leads_to(name):
            continue
        then = own[
            place + 1 : place + 4
        ]  # A load is never the last instruction, nor is that of a key.
        if path[1] != paths.ITEM:
            yield instruction, then[0].name
        elif then[0].name != "LOAD_CONST" or then[1].name not in _OF_ENTRIES:
            yield instruction, _WHOLE
        elif then[0].value == path[2] and then[1].name != _STORING:
            yield instruction, then[2].name


def _may_be_read_by_others(path, holder, codes):
    """Whether what reads it may not be in sight: somebody types further statements, or reads all attributes of an object at once."""
    if hasattr(sys, "ps1") or hasattr(builtins, "get_ipython"):
        return True
    if path[1] != paths.ATTRIBUTE:
        return False
    kind = type(holder)
    if kind is types.SimpleNamespace or "__dataclass_fields__" in vars(kind):
        return True
    bases = [base for base in kind.__mro__ if not frames.is_own_module(base.__module__)]
    if any(base.__module__ not in _KNOWN_BASES for base in bases):
        return True
    return any(stores.mentions(code, name) for code in codes for name in _READING_ALL)


def _statement(code, offset):
    """Where the statement begins that has the instruction at this offset."""
    return next((it.start for it in bytecode.instructions(code) if it.offset == offset), None)
