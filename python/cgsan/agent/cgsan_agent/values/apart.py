"""Operators whose results are read before they end: PyTorch calls the hooks of saved tensors within them, and what computes tangents in
forward mode. These find nothing computed yet, since an operator is computed when it ends; and a checkpoint stops what it computes
again by an exception from there.

A mode that calls the same operator makes of each two, one within the other: the inner one, whose kernels run, ends before that.
"""

import contextlib
import sys
import threading

import torch
from torch.utils._python_dispatch import TorchDispatchMode

# What a checkpoint calls in its forward pass only notes that something was saved.
ONLY_NOTES = "_checkpoint_hook."


class Apart(TorchDispatchMode):
    """Calls what it is asked for."""

    supports_higher_order_operators = True

    @classmethod
    def is_infra_mode(cls):
        """What asks whether a mode of the program changes operators need not know of it."""
        return True

    def __torch_dispatch__(self, function, types, arguments=(), keywords=None):
        """The operator itself."""
        return function(*arguments, **(keywords or {}))


_mode = Apart()
_thread = threading.local()


def listen():
    """Has the mode in use while such hooks are, and while a level of forward mode is."""
    hooks = torch._C._autograd
    _replace(hooks, "_push_saved_tensors_default_hooks", _begins(_reads))
    _replace(hooks, "_pop_saved_tensors_default_hooks", _ends)
    _replace(torch._C, "_enter_dual_level", _begins(_is_outside_functorch))
    _replace(torch._C, "_exit_dual_level", _ends)
    # Since PyTorch 2.13, it is called by the name that it has there.
    caller = sys.modules.get("torch._functorch.predispatch")
    for name in ("_enter_dual_level", "_exit_dual_level"):
        if hasattr(caller, f"{name}_impl"):
            setattr(caller, f"{name}_impl", getattr(torch._C, name))


def _replace(module, name, made):
    original = getattr(module, name, None)
    if original is not None:
        setattr(module, name, made(original))


def _begins(is_wanted):
    def made(original):
        def begin(*arguments, **keywords):
            result = original(*arguments, **keywords)
            with contextlib.suppress(Exception):
                is_begun = is_wanted(*arguments) and _at() is None
                if is_begun:
                    torch._C._push_on_torch_dispatch_stack(_mode)
                _begun().append(is_begun)
            return result

        return begin

    return made


def _ends(original):
    def end(*arguments, **keywords):
        with contextlib.suppress(Exception):
            if _begun() and _begun().pop():
                _take_out()
        return original(*arguments, **keywords)

    return end


def _reads(pack, _unpack):
    return not getattr(pack, "__qualname__", "").startswith(ONLY_NOTES)


def _is_outside_functorch():
    """functorch calls an operator once more by itself."""
    return torch._C._functorch.peek_interpreter_stack() is None


def _begun():
    """Whether the mode was begun for each of those in use in this thread, outermost first."""
    if not hasattr(_thread, "begun"):
        _thread.begun = []
    return _thread.begun


def _at():
    """Where the mode is among those in use, or None."""
    count = torch._C._len_torch_dispatch_stack()
    found = (at for at in range(count) if torch._C._get_dispatch_stack_at(at) is _mode)
    return next(found, None)


def _take_out():
    """Ends the mode, be it the innermost one or not."""
    at = _at()
    if at is None:
        return
    above = torch._C._len_torch_dispatch_stack() - at - 1
    others = [torch._C._pop_torch_dispatch_stack(None) for _ in range(above)]
    torch._C._pop_torch_dispatch_stack(None)
    for mode in reversed(others):
        torch._C._push_on_torch_dispatch_stack(mode)
