"""What `cgsan perf` wants to know of a program that runs on a real GPU.

`clock` times all that asks the GPU for work, as it is without a profiler. Once the program is warm, `observer` looks at it for a few
seconds: at steps that nothing disturbs, at a few with PyTorch's profiler (`window`), and at the lines that ask for work
(`lines`). It leaves files in the run directory, which the command reads when the program has ended. `marks` is for programs that
say where their steps begin.
"""

import os
import sys

from .. import ending

_observer = None


def is_wanted():
    """Whether this run is one of `cgsan perf`."""
    return bool(os.environ.get("CGSAN_PERF"))


def start(recorder):
    """Called when the clock was started, before PyTorch loads."""
    global _observer
    from .clock import Clock
    from .observer import Observer

    _observer = Observer(Clock(recorder), recorder.is_virtual)
    # Registered early, so called late.
    ending.at_end(_observer.end)


def observe():
    """Called when most of `torch.cuda` is loaded."""
    if _observer is not None:
        _observer.begin()
        _listen_to_recordings()


def _listen_to_recordings():
    from .. import compiled
    from ..announced import announce_calls

    graph = getattr(sys.modules.get("torch._C"), "_CUDAGraph", None)
    if isinstance(graph, type):
        listen = compiled.listen_to_recordings
        announce_calls(graph, "capture_begin", lambda _: listen(_observer))


def listen_to_compiler(module):
    """Called before `torch.compile` first speaks of captures."""
    if _observer is not None:
        from .. import compiled

        compiled.listen(module, _observer)
