"""How a value is reached from a name of the program: a chain of steps, without a reference to any object.

A path is None at a root, and otherwise a tuple of the path before, the kind of the step and its key.
"""

import sys
import threading
import types
from collections import deque

NAME, ATTRIBUTE, ITEM, CELL = "name", "attribute", "item", "cell"

# Where a module of PyTorch keeps what its attributes give.
MEMBERS = ("_parameters", "_buffers", "_modules")

# Where a decorator keeps the function that it wraps.
WRAPPED = "__wrapped__"

MISSING = object()

_SEQUENCES = (list, tuple, deque)

# A class may have its own idea of what its attributes are: these are asked of `type`.
_mro = type.__dict__["__mro__"].__get__
_dict = type.__dict__["__dict__"].__get__


def text(path):
    """The expression, as the program would write it."""
    before, kind, key = path
    if before is None or kind in (NAME, CELL):
        return str(key)
    if kind == ITEM:
        return f"{text(before)}[{key!r}]"
    # The parts of a `Sequential` have numbers for names.
    return f"{text(before)}[{key}]" if str(key).isdigit() else f"{text(before)}.{key}"


def steps(path):
    """Its steps, the last first."""
    found = []
    while path is not None:
        path, *step = path
        found.append(tuple(step))
    return found


# What Python's library has for the values of each thread.
_LOCAL = threading.local

# What `__dict__` is in a class: that of a class in C, such as `types.SimpleNamespace`, may be a member.
_DESCRIPTORS = (types.GetSetDescriptorType, types.MemberDescriptorType)


def follow(value, kind, key):
    """The value one step further, or `MISSING`."""
    if kind == ITEM:
        return _item(value, key)
    if kind == CELL:
        return cells(value).get(key, MISSING)
    found = attributes(value).get(key, MISSING)
    return _member(value, key) if found is MISSING else found


def _item(value, key):
    kind = type(value)
    if issubclass(kind, dict):
        return dict.get(value, key, MISSING)
    for base in _SEQUENCES:
        if issubclass(kind, base):
            return base.__getitem__(value, key) if key < base.__len__(value) else MISSING
    return MISSING


def _member(value, key):
    own = attributes(value)
    for member in MEMBERS:
        members = own.get(member)
        if type(members) is not dict and not issubclass(type(members), dict):
            continue
        if key in members:
            return dict.get(members, key, MISSING)
    return MISSING


def attributes(value):
    """The attributes that the object itself has, by name, without asking it."""
    kind = type(value)
    if kind is _LOCAL:
        # Those of this thread. A class of the program's own may run code for a thread that it has not met.
        return kind.__getattribute__(value, "__dict__")
    if kind is types.ModuleType or issubclass(kind, type):
        # A copy for classes: theirs is a view that changes with them.
        return vars(value) if kind is types.ModuleType else dict(_dict(value))
    found = {}
    for base in _mro(kind):
        own = _dict(base)
        holder = own.get("__dict__")
        if type(holder) in _DESCRIPTORS:
            inside = holder.__get__(value)
            return {**found, **inside} if found else inside
        if "__slots__" in own:
            _add_slots(found, own, value)
    return found


def _add_slots(found, own, value):
    for name, member in own.items():
        if type(member) is types.MemberDescriptorType:
            try:
                found[name] = member.__get__(value)
            except AttributeError:
                continue  # Not set.


def cells(function):
    """The variables that a function takes from the one around it."""
    found = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=False):
        try:
            found[name] = cell.cell_contents
        except ValueError:
            continue  # Empty.
    return found


def steps_from(value, limit):
    """What is one step from `value`: triples of the kind of the step, the key, and what lies there."""
    kind = type(value)
    if issubclass(kind, dict):
        for key, item in _first(dict.items(value), limit):
            if type(key) in (str, int):
                yield ITEM, key, item
    elif issubclass(kind, _SEQUENCES):
        base = next(base for base in _SEQUENCES if issubclass(kind, base))
        for index, item in enumerate(_first(base.__iter__(value), limit)):
            yield ITEM, index, item
    elif kind is types.FunctionType:
        for name, item in cells(value).items():
            yield CELL, name, item
        for name, item in _first(value.__dict__.items(), limit):
            if name != WRAPPED:
                yield ATTRIBUTE, name, item
    else:
        own = attributes(value)
        for name, item in _first(own.items(), limit):
            if type(name) is str and name not in MEMBERS:
                yield ATTRIBUTE, name, item
        for member in MEMBERS:
            members = own.get(member)
            if issubclass(type(members), dict):
                for name, item in _first(dict.items(members), limit):
                    yield ATTRIBUTE, name, item


def _first(items, limit):
    """The first of them, as a list: what is gone through may change meanwhile."""
    found = []
    try:
        for item in items:
            if len(found) >= limit:
                break
            found.append(item)
    except RuntimeError:
        pass  # Changed by another thread.
    return found


def module_of(variables):
    """The name of the module whose globals these are, or None."""
    name = variables.get("__name__")
    module = sys.modules.get(name) if type(name) is str else None
    return name if type(module) is types.ModuleType and vars(module) is variables else None
