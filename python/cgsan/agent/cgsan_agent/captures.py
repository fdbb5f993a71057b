"""A capture that is about to begin, as an event of the trace."""

import sys
import threading

from . import autograd

# Frames that may lie between this module and PyTorch's `capture_begin`, which knows the mode.
NEAREST = 6


def describe():
    """The `capture_begins` event. The thread is named as the driver's log names it."""
    return {"event": "capture_begins", "mode": _mode(), "thread": threading.get_ident()}


def _mode():
    """The mode that PyTorch's `CUDAGraph.capture_begin` was called with; None if it is not among the callers."""
    frame = sys._getframe()
    for _ in range(NEAREST):
        frame = frame.f_back
        if frame is None:
            return None
        if frame.f_code.co_name == "capture_begin":
            mode = autograd.local_variables(frame).get("capture_error_mode")
            return mode if isinstance(mode, str) else None
    return None
