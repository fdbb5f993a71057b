"""A few steps under PyTorch's profiler: what the GPU does, and which calls asked for it. Operators and stacks are left out, which
would slow the program down."""

import os
import time


class Window:
    """One use of the profiler."""

    def __init__(self, file):
        self._file = file
        self._profile = None

    @staticmethod
    def is_possible():
        """Whether this PyTorch has the profiler, and the program does not use it just now."""
        from torch.autograd import profiler

        return not getattr(profiler, "_is_profiler_enabled", False)

    def prepare(self):
        """Gets the profiler ready; the first time, in the main thread. Raises what PyTorch raises."""
        from torch.autograd import profiler

        self._profile = profiler.profile(use_device="cuda", use_cpu=False, use_kineto=True)
        self._profile._prepare_trace()

    def begin(self):
        """Starts it."""
        self._profile._start_trace()
        self._began = _now()

    def end(self):
        """Ends it."""
        from torch.autograd import profiler

        self._ended = _now()
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
