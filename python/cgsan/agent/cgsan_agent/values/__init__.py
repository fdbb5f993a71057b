"""Values: on the virtual GPU, what PyTorch's operators compute is computed on the CPU, in the same memory.

An eager operator is computed when it has been enqueued, a captured one whenever its nodes run. So a
replay reads and writes the addresses that the capture saw, as on a GPU.
"""

import contextlib
import os
import sys

# Where `torch.compile` launches its kernels.
TUNERS = "torch._inductor.runtime.triton_heuristics"

_engine = None


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


def may_be_looked_at():
    """Whether operators are computed in this process, and it does not matter when: not where two schedules are compared."""
    return _engine is not None and not _compares_runs()


def _compares_runs():
    return bool(os.environ.get("CGSAN_RESULTS"))


def _seed():
    for generator in sys.modules["torch.cuda"].default_generators:
        generator.manual_seed(SEED)


def _begin(recorder):
    global _engine
    if _engine is not None:
        return
    with _told_of(recorder, "what PyTorch's operators compute"):
        from . import apart, beneath, generators, overrides, philox
        from .engine import Engine

        generators.learn()
        philox.draw_from(recorder)
        report = None
        if _compares_runs():
            from . import results

            report = results.Results(os.environ["CGSAN_RUN_DIRECTORY"], recorder)
        engine = Engine(recorder, report)
        wants_all = report is not None
        set_compiler = sys.modules["torch._C._dynamo.eval_frame"].set_eval_frame
        functions = engine.known, engine.begins, engine.prepares, beneath.enter, set_compiler
        if not recorder.compute_with(functions, wants_all):
            raise NotImplementedError("operators of this PyTorch cannot be followed")
        _engine = engine
        overrides.replace()
        apart.listen()
        compute_kernels(recorder)


def capture_ends():
    """A capture of this thread is about to end."""
    if _engine is not None:
        from . import random_numbers

        random_numbers.capture_ends()


def compute_kernels(recorder):
    """Computes those of Triton and of `torch.compile`, from the moment that both these are imported and operators are computed."""
    if _engine is None:
        return
    with _told_of(recorder, "what kernels of Triton compute"):
        if hasattr(sys.modules.get("triton.runtime.autotuner"), "Autotuner"):
            from . import kernels

            kernels.compute_launches(recorder)
        if hasattr(sys.modules.get(TUNERS), "CachingAutotuner"):
            from . import compiled_kernels

            compiled_kernels.compute_launches(recorder)


@contextlib.contextmanager
def _told_of(recorder, what):
    """If this fails, nothing of `what` is computed, which the report says."""
    try:
        yield
    except Exception as error:
        # Nothing of ours ends the program's call.
        with contextlib.suppress(Exception):
            from . import not_computed

            not_computed.tell(recorder, what, what, error, None, stays=True)
