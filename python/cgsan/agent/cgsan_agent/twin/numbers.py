"""The numbers that a region comes upon, by the expressions that lead to them."""

import ctypes
import types

from ..replays import frames, paths, search
from . import names, reach

# Numbers that are kept of a region, and how deep functions call each other that are looked into.
NUMBERS = 512
CALLS = 3
PLAIN = (int, float, bool)
# What differs that may be one of them.
KINDS = ("number", "field")
TRUTHS = {"True": 1, "False": 0}


def of_region(source, variables, only_own=True):
    """Pairs of an expression and of the number that it leads to, through objects of libraries only if they are asked for."""
    return [(name, value) for name, _, _, value in places(source, variables, only_own)]


def places(source, variables, only_own=True):
    """The same, each with what it was reached from, and the last step to it."""
    found, seen = {}, set()
    beginnings = names.of_region_and_module(source, variables)
    for _ in range(CALLS):
        beginnings = _walk(found, seen, beginnings, only_own)
        if not beginnings:
            break
    return [(name, *it) for name, it in found.items()][:NUMBERS]


def add(differences, before, source, variables, called):
    """Adds the expression to each difference of numbers: the only one that led to the number of the capture then and leads to that of
    now by now. `called` has those that callers of the region call otherwise."""
    wanted = [it for it in differences if it["kind"] in KINDS]
    if not wanted:
        return
    then, now = dict(before), dict(of_region(source, variables))
    for difference in wanted:
        captured, eager = difference["captured"], difference["eager"]
        led = [
            name
            for name, number in now.items()
            if name in then and _is(number, eager) and _is(then[name], captured)
        ]
        if len(led) == 1:
            difference["name"] = called.get(led[0], led[0])


def _walk(found, seen, variables, only_own):
    """Adds the numbers that variables lead to. Returns the variables of the functions among what they lead to, by their names there."""
    behind = {}
    for visited, step, value in search.walk([search.Root(variables)], only_own):
        kind = type(value)
        if kind in PLAIN:
            found.setdefault(paths.text(search.path_to(visited, step)), (visited, step, value))
        elif id(value) not in seen:
            seen.add(id(value))
            for name, it in _behind(value, kind):
                behind.setdefault(name, it)
        if len(found) >= NUMBERS:
            return {}
    return {name: it for name, it in behind.items() if id(it) not in seen}


def _behind(value, kind):
    """What the code of a function, or of the methods of an object, comes upon by names of its own."""
    if kind is types.FunctionType:
        functions = [value]
    elif kind is types.MethodType:
        functions = [value.__func__]
        code = getattr(value.__func__, "__code__", None)
        if code is not None and code.co_argcount:
            yield code.co_varnames[0], value.__self__
    elif search.is_own_object(kind):
        own = (it for it in kind.__mro__ if frames.is_own_module(it.__module__))
        functions = [member for it in own for member in vars(it).values()]
    else:
        return
    for function in functions:
        if type(function) is types.FunctionType:
            yield from _globals(function)


def _globals(function):
    """The variables of its module that a function of the program uses."""
    if frames.origin(function.__code__.co_filename) == frames.OWN:
        shared = function.__globals__
        for name in reach.globals_of(function.__code__):
            if name in shared:
                yield name, shared[name]


def _is(number, text):
    """Whether it is what an operator was told to be given: a kernel may be given it in half of the bits."""
    try:
        return float(TRUTHS.get(text, text)) in (number, ctypes.c_float(number).value)
    except (ValueError, OverflowError):
        return False
