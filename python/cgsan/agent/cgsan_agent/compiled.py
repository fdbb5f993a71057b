"""What `torch.compile` says of the captures that it makes of compiled functions, or does not make."""

import contextlib
import logging
import sys

from .exceptions import stack

# Where `log_cudagraph_skip_and_bump_counter` and the warning about shapes go
# (torch/_inductor/cudagraph_utils.py, PyTorch 2.6 to 2.11).
LOGGERS = ("__cudagraphs", "__perf_hints")
SKIPPED = "skipping cudagraphs"
# Characters kept of a message, and messages kept of a process.
MESSAGE = 4096
MESSAGES = 64


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
