"""What `torch.compile` says of the captures that it makes of compiled functions, or does not make."""

import contextlib
import functools
import logging
import sys

from .announced import announce_calls
from .exceptions import stack

# Where `log_cudagraph_skip_and_bump_counter` and the warning about shapes go
# (torch/_inductor/cudagraph_utils.py, PyTorch 2.6 to 2.11).
LOGGERS = ("__cudagraphs", "__perf_hints")
SKIPPED = "skipping cudagraphs"
# Characters kept of a message, and messages kept of a process.
MESSAGE = 4096
MESSAGES = 64
# Captures made again that are told of.
RECORDINGS = 256
# The module that captures compiled functions.
TREES = "torch._inductor.cudagraph_trees"


class Handler(logging.Handler):
    """Passes each warning on once. It writes nothing, and the program's own handlers get the same."""

    def __init__(self, recorder):
        super().__init__(logging.WARNING)
        self._recorder = recorder
        self._told = set()

    def emit(self, record):
        with contextlib.suppress(Exception):
            message = record.getMessage()[:MESSAGE]
            if message in self._told or len(self._told) >= MESSAGES:
                return
            self._told.add(message)
            self._recorder.event(
                {
                    "event": "compiled",
                    "skipped": message.startswith(SKIPPED),
                    "message": message,
                    "stack": stack(sys._getframe()),
                }
            )


def listen(module, recorder):
    """Listens to what PyTorch's `module` is going to log."""
    for name in LOGGERS:
        logging.getLogger(f"{module}.{name}").addHandler(Handler(recorder))


def listen_to_recordings(recorder):
    """Listens to captures of compiled functions that were captured before. To be called when a capture begins: the first one of a
    function is not made again."""
    manager = getattr(sys.modules.get(TREES), "CUDAGraphTreeManager", None)
    if isinstance(manager, type):
        announce_calls(manager, "record_function", Recordings(recorder).begins)


@functools.cache
def _outputs(recorder):
    from .replays import compiled_outputs

    return compiled_outputs.CompiledOutputs(recorder)


def follow_outputs(recorder):
    """Follows what captured compiled functions return. To be called when a capture begins: a tree of graphs begins with one that is
    empty, before anything is run in it."""
    if TREES in sys.modules:
        _outputs(recorder).listen()


class Recordings:
    """Tells of each capture that is made again, with what PyTorch says does not fit the graphs that there are."""

    def __init__(self, recorder):
        self._recorder = recorder
        self._told = 0

    def begins(self, _manager):
        """A function is about to be captured by `CUDAGraphTreeManager._run`, which calls this method's caller. It has compared the
        inputs with those of each graph of the function that there is at this place (`cudagraph_trees.py`, PyTorch 2.6 to 2.15)."""
        reason = sys._getframe(2).f_locals.get("status_logger")
        if reason is None or self._told >= RECORDINGS:
            return
        self._told += 1
        self._recorder.event(
            {
                "event": "recorded_again",
                "reason": str(reason())[:MESSAGE],
                "stack": stack(sys._getframe()),
            }
        )
