"""What a region's function was given by its callers, which may still run, or run again, when it has returned."""

import ast
import contextlib
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


def passed_on(frame, names):
    """Where these parameters of the frame's function come from: for each, the callers and what their parameter is called, the
    nearest first, as far as each gives what it is given itself."""
    found = {}
    wanted = {name: name for name in names if _is_given(frame.f_code, name)}
    for _ in range(DEPTH):
        outer = frame.f_back
        if not wanted or outer is None or frames.origin(outer.f_code.co_filename) == frames.FOREIGN:
            break
        passed = _passed(outer, frame)
        wanted = {name: passed[at] for name, at in wanted.items() if at in passed}
        caller = Caller(outer)
        for name, at in wanted.items():
            found.setdefault(name, []).append((caller, at))
        frame = outer
    return found


def running(code):
    """The innermost frame of this thread that runs some code, or None."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code is not code:
        frame = frame.f_back
    return frame


def _is_given(code, name):
    """Whether it is a parameter that the function itself leaves as it is."""
    if name not in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]:
        return False
    own = bytecode.instructions(code)
    return not any(stores.stores_into(it, paths.NAME, name) for it in own)


def _passed(outer, inner):
    """The parameters of `inner` for which `outer` passes a parameter of its own: what that is called there."""
    call = _call(outer, inner.f_code)
    if call is None:
        return {}
    code = inner.f_code
    is_bound = not isinstance(call.func, ast.Name) and code.co_varnames[:1] == ("self",)
    first = 1 if is_bound or code.co_name == "__init__" else 0
    parameters = code.co_varnames[first : code.co_argcount]
    given = dict(zip(parameters, call.args, strict=False))
    if any(isinstance(it, ast.Starred) for it in call.args):
        given = {}
    given.update((it.arg, it.value) for it in call.keywords if it.arg is not None)
    return {
        name: value.id
        for name, value in given.items()
        if isinstance(value, ast.Name) and _is_given(outer.f_code, value.id)
    }


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
