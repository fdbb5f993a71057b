"""Modules that `make_graphed_callables` gave a `forward` which replays: their region is the one that they had before."""

import types

import torch

from ..replays import graphed_modules, module_hooks

# How deep lists of modules may lie in one another, and how often one module was graphed.
DEPTH = 3
TIMES = 8


def restore(variables):
    """In a child: gives the modules that these variables lead to their own `forward` back."""
    for value in list(variables.values()):
        for module in _modules(value, 0):
            for inner in module.modules():
                _restore(inner)


def _modules(value, depth):
    if isinstance(value, torch.nn.Module):
        yield value
    elif type(value) in (list, tuple) and depth < DEPTH:
        for inner in value:
            yield from _modules(inner, depth + 1)


def _restore(module):
    for _ in range(TIMES):
        forward = vars(module).get("forward")
        own = _own_forward(forward, module) if graphed_modules.replays(forward) else None
        if own is None:
            return
        module.forward = own
        # It had none when it was graphed, and those that it has now run outside of the graph.
        for hooks in module_hooks.KINDS:
            getattr(module, hooks).clear()


def _own_forward(forward, module):
    """The `forward` that a function of PyTorch's calls where it does not replay."""
    names = forward.__code__.co_freevars
    held = {name: cell.cell_contents for name, cell in zip(names, forward.__closure__, strict=True)}
    if "orig_call" not in held:
        return held.get("orig_fwd")
    # Since PyTorch 2.15, a method is kept without the object that it is bound to.
    is_bound = held.get("orig_bound_to_func")
    return types.MethodType(held["orig_call"], module) if is_bound else held["orig_call"]
