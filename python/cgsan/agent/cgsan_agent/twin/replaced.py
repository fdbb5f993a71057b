"""Functions that a region called at its capture, and in whose place stand others that replay its graph.

A method is captured, and then the program puts one in its place that replays: the region would come upon its own graph. What eager
code runs is the function of the capture, so that is called in the child.
"""

import gc
import sys
import types

from .. import autograd
from ..exceptions import AGENT
from ..replays import frames
from . import source

# Calls noted of one region.
CALLS = 5_000
# Frames looked at of the stack of a replay.
FRAMES = 64


class Calls:
    """In a child, as a capture begins: which function each call of a region leads to."""

    def __init__(self):
        # By the place of a call: what its function is, or None where it leads to several.
        self._found = {}

    def __enter__(self):
        sys.setprofile(self._note)
        return self

    def __exit__(self, *_):
        sys.setprofile(None)

    def as_plain(self):
        """Pairs of the place of a call and what its function is."""
        return [it for it in self._found.items() if it[1] is not None]

    def _note(self, frame, event, _):
        outer = frame.f_back
        if event != "call" or outer is None or len(self._found) >= CALLS:
            return
        place = _place(outer, frame.f_code)
        if place is not None:
            function = _of_code(frame.f_code)
            known = self._found.setdefault(place, function)
            if known != function:
                self._found[place] = None


def restore(calls, variables, code):
    """In a child at a replay: has the region with this code call the functions of the capture in place of those that replay. `variables`
    gives those of the capture."""
    before = dict(calls)
    called = set(before.values())
    replaying = [it for it in _running() if it is not code and _of_code(it) not in called]
    if not before or not replaying:
        return
    for holder in gc.get_referrers(*replaying):
        if type(holder) is types.FunctionType:
            _call_in_place_of(holder, before, variables)


def _running():
    """The code of the program's functions that run."""
    found, frame = {}, sys._getframe(1)
    while frame is not None and len(found) < FRAMES:
        code = frame.f_code
        if frames.origin(code.co_filename) != frames.FOREIGN:
            found[code] = None
        frame = frame.f_back
    return list(found)


def _call_in_place_of(function, before, variables):
    """Has a function call the one that stood in its place, wherever that is known."""
    itself = types.FunctionType(
        function.__code__,
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    itself.__kwdefaults__ = function.__kwdefaults__

    def call(arguments, keywords):
        frame = sys._getframe(1)
        wanted = before.get(_place(frame.f_back, itself.__code__))
        found = wanted and _function_of(wanted, function, arguments, variables)
        return (found or itself)(*arguments, **keywords)

    code = _calling.__code__
    parts = (call if it == _CALL else it for it in code.co_consts)
    # As many variables of functions around it as before, which it does not use.
    function.__code__ = code.replace(
        co_consts=tuple(parts), co_freevars=function.__code__.co_freevars
    )


_CALL = "what is called"


def _calling(*arguments, **keywords):
    call = "what is called"
    return call(arguments, keywords)


def _function_of(wanted, function, arguments, variables):
    """The function that is `wanted`, ready to be called with these arguments of the one that stands in its place; or None."""
    for owner, name in _held(function):
        for kind in type(owner).__mro__:
            method = vars(kind).get(name)
            if type(method) is types.FunctionType and _of_code(method.__code__) == wanted:
                is_bound = bool(arguments) and arguments[0] is owner
                return method if is_bound else types.MethodType(method, owner)
    for objects in (variables().values(), gc.get_objects()):
        found = [it for it in objects if type(it) is types.FunctionType]
        found = [it for it in found if _of_code(it.__code__) == wanted]
        if len(found) == 1:
            return found[0]
    return None


def _held(function):
    """The objects that have a function as an attribute of their own, also bound to them, with its names."""
    methods = [it for it in gc.get_referrers(function) if type(it) is types.MethodType]
    for held in (function, *methods):
        for holder in gc.get_referrers(held):
            owners = gc.get_referrers(holder) if type(holder) is dict else [holder]
            for owner in owners:
                own = _attributes(owner)
                for name, value in list(own.items()):
                    if value is held:
                        yield owner, name


def _attributes(value):
    try:
        found = object.__getattribute__(value, "__dict__")
    except Exception:
        return {}
    return found if type(found) is dict else {}


def _place(frame, code):
    """What tells a call apart: where the function that calls stands, and for which object; None for calls in libraries."""
    outer = frame.f_code
    if outer.co_filename.startswith(AGENT) or code.co_filename.startswith(AGENT):
        return None
    is_own = frames.origin(outer.co_filename) != frames.FOREIGN
    if not is_own and frames.origin(code.co_filename) == frames.FOREIGN:
        return None
    owner = None
    if outer.co_varnames[:1] == ("self",):
        owner = id(autograd.local_variables(frame).get("self"))
    at = source.position_of(frame) if is_own else (outer.co_firstlineno, frame.f_lasti)
    return outer.co_filename, outer.co_name, at, owner


def _of_code(code):
    return code.co_filename, code.co_firstlineno, code.co_name
