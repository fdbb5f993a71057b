"""Values: on the virtual GPU, what PyTorch's operators compute is computed on the CPU, in the same memory.

An eager operator is computed when it has been enqueued, a captured one whenever its nodes run. So a
replay reads and writes the addresses that the capture saw, as on a GPU.
"""

import contextlib
import os
import sys
import threading

from .. import announced

_modes = None


# The seed of programs that choose none, where two runs are compared.
SEED = 0


def compute_once_cuda_is_used(recorder):
    """Computes operators from the moment that PyTorch sets up CUDA."""
    calls = getattr(sys.modules.get("torch.cuda"), "_queued_calls", None)
    if isinstance(calls, list):
        if _compares_runs():
            sys.modules["torch._C"].default_generator.manual_seed(SEED)
            calls.append((_seed, []))
        calls.append((lambda: _begin(recorder), []))


def _compares_runs():
    return bool(os.environ.get("CGSAN_RESULTS"))


def _seed():
    for generator in sys.modules["torch.cuda"].default_generators:
        generator.manual_seed(SEED)


def _begin(recorder):
    global _modes
    if _modes is not None:
        return
    with contextlib.suppress(Exception):
        from . import generators, mode, philox

        generators.learn()
        philox.draw_from(recorder)
        report = None
        if _compares_runs():
            from . import results

            report = results.Results(os.environ["CGSAN_RUN_DIRECTORY"], recorder)
        _modes = threading.local()
        _enter(mode, recorder, report)
        mode.compute_what_is_printed(mode.Values(recorder, report))
        # Threads of autograd take over the modes of the thread that calls it; those of Python do not.
        announced.announce_calls(
            threading.Thread, "run", lambda _thread: _enter(mode, recorder, report)
        )
        compute_kernels_of_triton(recorder)


def compute_kernels_of_triton(recorder):
    """Computes them from the moment that both Triton is imported and operators are computed."""
    is_imported = hasattr(sys.modules.get("triton.runtime.autotuner"), "Autotuner")
    if _modes is not None and is_imported:
        with contextlib.suppress(Exception):
            from . import kernels

            kernels.compute_launches(recorder)


def _enter(mode, recorder, report):
    """Computes what this thread calls, beneath all modes of the program."""
    if not hasattr(_modes, "entered"):
        _modes.entered = True
        mode.enter_beneath(mode.Values(recorder, report))
