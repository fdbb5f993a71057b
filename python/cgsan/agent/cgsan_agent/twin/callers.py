"""What a region's function was given by its callers, which may still run, or run again, when it has returned.

A place is the name of a parameter, and the keys that lead from there into what it holds: those of keywords, of positions, and of
containers of a few plain values.
"""

import ast
import contextlib
import inspect
import sys

from ..replays import bytecode, frames, paths, stores, weak
from . import source

# Callers looked at.
DEPTH = 4


class Caller:
    """A function that was running; of a method, for one object."""

    def __init__(self, frame):
        self._code = frame.f_code
        self._owner = None
        if self._code.co_varnames[:1] == ("self",):
            with contextlib.suppress(TypeError):
                self._owner = weak.Weak(frames.variables(frame)["self"])

    def now(self):
        """The variables of a call of it that is running, or none."""
        frame = running(self._code)
        variables = frames.variables(frame) if frame is not None else {}
        is_other = self._owner is not None and variables.get("self") is not self._owner()
        return {} if is_other else variables


def inside(value, keys):
    """What lies in a container, by keys from one to the next; `paths.MISSING` where one has no such key."""
    for key in keys:
        try:
            value = paths.follow(value, paths.ITEM, key)
        except TypeError:  # A list took the place of a dictionary.
            return paths.MISSING
    return value


def of_names(frame, names):
    """Where these parameters of the frame's function come from: for each, the callers and where it lies there, the nearest first, as
    far as each gives what it is given itself."""
    found = of_places(frame, [(name, ()) for name in names])
    return {name: given for (name, _), given in found.items()}


def of_places(frame, places):
    """The same of places."""
    found = {}
    wanted = {it: it for it in places if is_given(frame.f_code, it[0])}
    for _ in range(DEPTH):
        outer = frame.f_back
        if not wanted or outer is None or frames.origin(outer.f_code.co_filename) == frames.FOREIGN:
            break
        call = _Call(outer, frame)
        passed = {it: call.place_of(at) for it, at in wanted.items()}
        wanted = {it: at for it, at in passed.items() if at and is_given(outer.f_code, at[0])}
        caller = Caller(outer)
        for it, at in wanted.items():
            found.setdefault(it, []).append((caller, at))
        frame = outer
    return found


class Now:
    """What callers are given now, the variables of each read once."""

    def __init__(self):
        self._variables = {}

    def value(self, given):
        """What lies at the first of these places whose callers run, or `paths.MISSING`."""
        for caller, (name, keys) in given:
            if caller not in self._variables:
                self._variables[caller] = caller.now()
            value = inside(self._variables[caller].get(name, paths.MISSING), keys)
            if value is not paths.MISSING:
                return value
        return paths.MISSING


def parameters(code):
    """The names of a function's parameters, with those that take all other arguments."""
    flags = (code.co_flags & inspect.CO_VARARGS) + (code.co_flags & inspect.CO_VARKEYWORDS)
    count = code.co_argcount + code.co_kwonlyargcount + bin(flags).count("1")
    return code.co_varnames[:count]


def is_given(code, name):
    """Whether it is a parameter that the function itself leaves as it is."""
    if name not in parameters(code):
        return False
    own = bytecode.instructions(code)
    return not any(stores.stores_into(it, paths.NAME, name) for it in own)


def running(code):
    """The innermost frame of this thread that runs some code, or None."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code is not code:
        frame = frame.f_back
    return frame


class _Call:
    """The call by which one function runs another."""

    def __init__(self, outer, inner):
        code = inner.f_code
        own = parameters(code)
        named = code.co_argcount + code.co_kwonlyargcount
        rest = list(own[named:])
        self._rest = rest.pop(0) if code.co_flags & inspect.CO_VARARGS else None
        self._other_keywords = rest.pop(0) if rest else None
        self._outer = outer
        call = _call(outer, code)
        self._arguments = call.args if call is not None else []
        self._keywords = call.keywords if call is not None else []
        is_bound = call is not None and self._is_bound(call.func, own[:1], inner)
        first = 1 if is_bound or code.co_name == "__init__" else 0
        self._by_position = own[first : code.co_argcount]

    def _is_bound(self, function, first, inner):
        """Whether the object that a method is asked of is its first parameter."""
        if not isinstance(function, ast.Attribute):
            return False
        if first == ("self",) or not isinstance(function.value, ast.Name):
            return first == ("self",)
        owner = frames.variables(self._outer).get(function.value.id)
        return owner is not None and owner is frames.variables(inner).get(*first or ("",))

    def place_of(self, place):
        """Where the caller has what is at a place of the function that it calls, or None."""
        name, keys = place
        if name == self._rest:
            return self._at(len(self._by_position) + keys[0], keys[1:]) if keys else None
        if name == self._other_keywords:
            return self._by_name(*keys[:1], keys[1:]) if keys else None
        if name in self._by_position:
            found = self._at(self._by_position.index(name), keys)
            if found is not None:
                return found
        return self._by_name(name, keys)

    def _at(self, index, keys):
        """What is given at a position."""
        starred = [it for it, value in enumerate(self._arguments) if isinstance(value, ast.Starred)]
        before = starred[0] if starred else len(self._arguments)
        if index < before:
            return _name_and(self._arguments[index], keys)
        if starred != [len(self._arguments) - 1]:
            return None
        place = _name_and(self._arguments[before].value, (index - before, *keys))
        return place if place is not None and self._has(place) else None

    def _by_name(self, name, keys):
        for it in self._keywords:
            if it.arg == name:
                return _name_and(it.value, keys)
        others = [it.value for it in self._keywords if it.arg is None]
        place = _name_and(others[0], (name, *keys)) if len(others) == 1 else None
        return place if place is not None and self._has(place) else None

    def _has(self, place):
        """Whether what the caller unpacks has what is called so."""
        name, (key, *_) = place
        return inside(frames.variables(self._outer).get(name), (key,)) is not paths.MISSING


def _name_and(value, keys):
    return (value.id, tuple(keys)) if isinstance(value, ast.Name) else None


def _call(frame, code):
    """The call that the frame is at, if there can be only one of this code."""
    tree = source.tree_of(frame.f_code.co_filename, frame.f_globals)
    if tree is None:
        return None
    (line, column), _ = source.place_of(frame)
    found = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and node.lineno == line
        and column in (None, node.col_offset)
        and (code.co_name == "__init__" or _name(node.func) == code.co_name)
    ]
    return found[0] if len(found) == 1 else None


def _name(function):
    return getattr(function, "attr", None) or getattr(function, "id", None)
