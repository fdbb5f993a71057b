"""A few steps under PyTorch's profiler: what the GPU does, and which calls asked for it. Operators and stacks are left out, which
would slow the program down."""

import os
import time

# Calls to CUDA, and the seconds between them.
CALLS = 40
PAUSE = 0.005


class Window:
    """One use of the profiler."""

    def __init__(self, file):
        self._file = file
        self._profile = None
        self.device = None

    @staticmethod
    def is_possible():
        """Whether this PyTorch has the profiler, and the program does not use it just now."""
        from torch.autograd import profiler

        return not getattr(profiler, "_is_profiler_enabled", False)

    def prepare(self):
        """Gets the profiler ready, in the main thread. Raises what PyTorch raises."""
        import torch
        from torch.autograd import profiler

        # Other threads have a current device of their own.
        self.device = torch.cuda.current_device()
        self._profile = profiler.profile(use_device="cuda", use_cpu=False, use_kineto=True)
        self._profile._prepare_trace()

    def begin(self):
        """Starts it."""
        self._profile._start_trace()
        self._began = _now()

    def end(self, leaves):
        """Ends it, once the GPU has done what it was given in it. If CUPTI is to leave the process, where it slows launches down, it
        begins to: see `leave`."""
        import torch
        from torch.autograd import profiler

        self._ended = _now()
        torch.cuda.synchronize(self.device)
        if leaves:
            os.environ["TEARDOWN_CUPTI"] = "1"
        # What `profile.__exit__` does, without waiting for the GPU and without objects for all events.
        self._result = profiler._disable_profiler()
        profiler._run_on_profiler_stop()

    def save(self):
        """Writes its file, and returns what the observer notes about it."""
        self._result.save(self._file)
        return {
            "file": os.path.basename(self._file),
            "began": self._began,
            "ended": self._ended,
        }


def _now():
    """The time of the clock, and that of the profiler's files, in nanoseconds."""
    return {"monotonic_ns": time.monotonic_ns(), "unix_ns": time.time_ns()}


def can_leave():
    """Whether CUPTI can leave the process. Where there are graphs, older versions of it could not (`torch/profiler/profiler.py`,
    2.11). A program that says something about it has its way."""
    import torch

    version = tuple(int(part) for part in (torch.version.cuda or "0").split(".")[:2])
    return version >= (12, 6) and "TEARDOWN_CUPTI" not in os.environ


def leave():
    """CUPTI leaves at the end of a call to CUDA. Makes some: the program may make none any more, and Python would then wait for it
    at its end."""
    import torch

    for _ in range(CALLS):
        torch._C._cuda_getDevice()
        time.sleep(PAUSE)
