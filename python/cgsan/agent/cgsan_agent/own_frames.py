"""The agent's frames in tracebacks of the program's exceptions."""

import functools

from .exceptions import AGENT


class Hidden:
    """A context in which functions of the program are called: what they raise leaves it without frames of files of the agent,
    or of `folder`.

    Python adds no frame again where an exception leaves a `with` block. Before 3.11 it restores the traceback that it came with,
    and the frame of the block itself is shown.
    """

    def __init__(self, folder=AGENT):
        self._folders = AGENT, folder

    def __enter__(self):
        return self

    def __exit__(self, _kind, exception, _traceback):
        if exception is not None:
            exception.__traceback__ = self._without_own(exception.__traceback__)

    def _without_own(self, first):
        shown, step = [], first
        while step is not None:
            if not step.tb_frame.f_code.co_filename.startswith(self._folders):
                shown.append(step)
            step = step.tb_next
        following = None
        for step in reversed(shown):
            step.tb_next = following
            following = step
        return following


def hidden(function, folder=AGENT):
    """A function that calls another one and is not seen in its tracebacks."""
    context = Hidden(folder)

    @functools.wraps(function, updated=())
    def call(*arguments, **keywords):
        with context:
            return function(*arguments, **keywords)

    return call
