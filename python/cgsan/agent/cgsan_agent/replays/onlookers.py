"""Code of the program that looks on as a region runs, and is no part of it: tracers, profilers, and modes that were entered around the capture."""

import sys
import types

from . import stores


def are_tracing():
    """Whether a function of Python's own is called for what this thread runs: whatever it notes, the region does not."""
    callbacks = sys.gettrace(), sys.getprofile()
    return any(type(it) in (types.FunctionType, types.MethodType) for it in callbacks)


def codes():
    """The code of the modes that this thread has entered by now."""
    dispatch, overrides = (
        sys.modules.get(it) for it in ("torch.utils._python_dispatch", "torch.overrides")
    )
    modes = [
        *getattr(dispatch, "_get_current_dispatch_mode_stack", list)(),
        *getattr(overrides, "_get_current_function_mode_stack", list)(),
    ]
    return {code for mode in modes for code in stores.of_class(type(mode))}
