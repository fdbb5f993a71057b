"""Code of the program that runs while a region does, and is no part of it: tracers, profilers, modes that were entered around the
capture, finalizers, and what Python calls when a signal comes or memory is collected."""

import gc
import signal
import sys
import types

from . import stores

# The method that runs where an object ends.
FINALIZER = "__del__"
_FUNCTIONS = (types.FunctionType, types.MethodType)


def are_tracing():
    """Whether a function of Python's own is called for what this thread runs: whatever it notes, the region does not."""
    callbacks = sys.gettrace(), sys.getprofile()
    return any(type(it) in _FUNCTIONS for it in callbacks)


def codes():
    """The code of the modes that this thread has entered by now, and of what Python calls by itself."""
    dispatch, overrides = (
        sys.modules.get(it) for it in ("torch.utils._python_dispatch", "torch.overrides")
    )
    modes = [
        *getattr(dispatch, "_get_current_dispatch_mode_stack", list)(),
        *getattr(overrides, "_get_current_function_mode_stack", list)(),
    ]
    found = {code for mode in modes for code in stores.of_class(type(mode))}
    called = [*gc.callbacks, *(signal.getsignal(it) for it in signal.valid_signals())]
    return found | {it.__code__ for it in called if type(it) in _FUNCTIONS}
