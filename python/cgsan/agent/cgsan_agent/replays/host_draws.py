"""Random numbers that a captured function drew on the host, and that no replay draws again."""

from . import unread
from .host_changes import SEEN


class Drawn:
    """Random numbers that a capture drew on the host."""

    use = unread.READ

    def __init__(self, name, lines):
        self.name = name
        self.lines = lines
        self._samples = 0

    def add_steps(self, _steps):
        """What the code draws, it says."""

    def sample(self, _scopes, stack=()):
        """Counts the samples: what the program draws beside the replays changes nothing in the graph."""
        self._samples += bool(stack)

    def is_known(self):
        """Whether the graph was replayed more than once."""
        return self._samples >= SEEN

    def describe(self):
        return {
            "name": self.name,
            "before": "",
            "after": "",
            "is_length": False,
            "moved": False,
            "file": None,
            "line": None,
        }

    def told_lines(self):
        """The lines that draw."""
        return [line.describe() for line in self.lines]
