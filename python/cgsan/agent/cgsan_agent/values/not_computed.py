"""What could not be computed, told of once each."""

import sys

from .. import exceptions

# Operators and kernels that were told of, in whichever thread.
_told = set()


def tell(recorder, what, name, error, stack, stays=False):
    """Tells that `what`, an operator or a kernel, is not computed, with the stack of its first call, or of this moment.

    What it should have written `stays` as it was, or was made recognisable.
    """
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
