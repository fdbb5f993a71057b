"""Values: on the virtual GPU, what PyTorch's operators compute is computed on the CPU, in the same memory.

An eager operator is computed when it has been enqueued, a captured one whenever its nodes run. So a
replay reads and writes the addresses that the capture saw, as on a GPU.
"""

import contextlib
import sys
import threading

from .. import hooks

_modes = None


def compute_once_cuda_is_used(recorder):
    """Computes operators from the moment that PyTorch sets up CUDA."""
    calls = getattr(sys.modules.get("torch.cuda"), "_queued_calls", None)
    if isinstance(calls, list):
        calls.append((lambda: _begin(recorder), []))


def _begin(recorder):
    global _modes
    if _modes is not None:
        return
    with contextlib.suppress(Exception):
        from . import mode

        _modes = threading.local()
        _enter(mode, recorder)
        mode.compute_what_is_printed(mode.Values(recorder))
        # Threads of autograd take over the modes of the thread that calls it; those of Python do not.
        hooks.announce_calls(threading.Thread, "run", lambda _thread: _enter(mode, recorder))


def _enter(mode, recorder):
    """Computes what this thread calls, beneath all modes of the program."""
    if not hasattr(_modes, "entered"):
        _modes.entered = True
        mode.enter_beneath(mode.Values(recorder))
