"""The line of the program that runs."""

from __future__ import annotations

import dataclasses
import linecache
import os
import sys
from types import FrameType

import torch

_FOREIGN = (
    os.path.dirname(os.path.abspath(__file__)) + os.sep,
    os.path.dirname(os.path.abspath(torch.__file__)) + os.sep,
)


@dataclasses.dataclass(frozen=True)
class Place:
    """A line of a file."""

    file: str
    line: int

    @property
    def code(self) -> str:
        return linecache.getline(self.file, self.line).rstrip("\n")

    def __str__(self) -> str:
        file = os.path.relpath(self.file) if os.path.isabs(self.file) else self.file
        return f"{self.file if file.startswith('..') else file}:{self.line}"


def innermost(thread: int) -> Place | None:
    """The innermost line of the program in this thread, or else in `thread`, which waits for it in a backward pass."""
    found = _of(sys._getframe(1))
    return found or _of(sys._current_frames().get(thread))


def _of(frame: FrameType | None) -> Place | None:
    while frame is not None:
        code = frame.f_code
        if not code.co_filename.startswith((*_FOREIGN, "<frozen ")):
            return Place(code.co_filename, frame.f_lineno)
        frame = frame.f_back
    return None
