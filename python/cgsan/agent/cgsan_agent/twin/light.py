"""Stands in, in a child, for modules of PyTorch, and of what it needs, that take a second to load and are not there yet.

What finds out the form of a result asks them, of sizes that may be symbols, and of what is being compiled: here sizes are numbers, and
nothing is.
"""

import sys
import types

import torch

COMPILER = "torch._dynamo"
SIZES = "torch.fx.experimental.symbolic_shapes"
SYMBOLS = "sympy"
FUNCTIONS = "torch.utils._sympy.functions"


def stand_in():
    """Puts them in place where the real ones are not loaded. What they lack ends what the region does with an error."""
    if COMPILER not in sys.modules:
        compiler = _module(COMPILER, disable=_left_alone, graph_break=lambda *_, **__: None)
        torch._dynamo = compiler
    if SIZES not in sys.modules:
        _module(
            SIZES,
            expect_true=lambda value, *_: bool(value),
            guard_int=int,
            guard_or_false=bool,
            guard_or_true=bool,
            guard_size_oblivious=bool,
            has_hint=lambda _: True,
            is_nested_int=lambda _: False,
            size_hint=int,
            statically_known_true=bool,
            sym_and=lambda *values: all(values),
            sym_eq=_are_equal,
            sym_or=lambda *values: any(values),
        )
    if SYMBOLS not in sys.modules:
        _module(SYMBOLS, Symbol=_Symbol, Expr=_Symbol, Basic=_Symbol, Integer=_Symbol)
    if FUNCTIONS not in sys.modules:
        _module(FUNCTIONS, Max=max)


class _Symbol:
    """What no size is an instance of."""


def _module(name, **contents):
    module = sys.modules[name] = types.ModuleType(name)
    vars(module).update(contents)
    return module


def _left_alone(function=None, *_, **__):
    return function if function is not None else _left_alone


def _are_equal(one, other):
    if isinstance(one, (tuple, list)):
        return len(one) == len(other) and all(map(_are_equal, one, other))
    return one == other
