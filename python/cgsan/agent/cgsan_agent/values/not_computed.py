"""What could not be computed, told of once each."""

import sys

import torch

from .. import exceptions
from . import sparse

# Operators and kernels that were told of, in whichever thread.
_told = set()
# How often something was not computed, and what that was the last time.
_times, _last = 0, ""


def tell(recorder, what, name, error, stack, stays=False):
    """Tells that `what`, an operator or a kernel, is not computed, with the stack of its first call, or of this moment.

    What it should have written `stays` as it was, or was made recognisable.
    """
    global _times, _last
    _times, _last = _times + 1, f"`{name}`"
    if what in _told:
        return
    _told.add(what)
    event = {
        "event": "not_computed",
        "operator": name,
        "reason": str(error).strip().split("\n", 1)[0][:200],
        "stack": stack or exceptions.stack(sys._getframe(1)),
    }
    recorder.event(event | ({"stays": True} if stays else {}))


def so_far(recorder):
    """How often something was not computed so far, and what that was."""
    kernels = recorder.kernels_not_computed()
    return _times + kernels, _last or "a kernel that no operator launches"


def poison(value):
    """Makes what nothing has computed recognisable: not a number, or the least number there is."""
    if isinstance(value, torch.Tensor):
        values = sparse.parts(value)[-1]
        if value.is_floating_point() or value.is_complex():
            values.fill_(float("nan"))
        elif value.dtype != torch.bool:
            values.fill_(torch.iinfo(value.dtype).min)
