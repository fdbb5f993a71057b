"""What became of the virtual GPU in this process, for the command to read after the run."""

import os
import sys

from . import written
from .private_files import opener


class Status:
    """The content of a status file.

    `state` is a word that the command knows, `detail` free text or None.
    """

    def __init__(self, trigger, test=None):
        # The test of pytest that runs in this process, or that started it, if one did.
        self.test = test
        self.pid = os.getpid()
        self.state = None
        self.detail = None
        self.trigger = trigger
        self.python = ".".join(map(str, sys.version_info[:3]))
        self.executable = written.path(sys.executable)
        self.torch = ""
        self.cuda = None


def write_status(status):
    """Leaves `status` in the run directory, whole or not at all."""
    write_json(f"status-{status.pid}.json", vars(status))


def write_json(name, value):
    """Leaves a value in a file of the run directory, whole or not at all."""
    path = os.path.join(os.environ["CGSAN_RUN_DIRECTORY"], name)
    with open(path + ".new", "wb", opener=opener) as file:
        file.write(written.dumps(value))
    os.replace(path + ".new", path)
