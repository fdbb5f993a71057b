"""The command `cgsan`, which does what this package does not do itself."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Container, Sequence

# Names the command, if it is neither beside the interpreter nor in PATH.
VARIABLE = "CGSAN_COMMAND"


class CommandMissing(RuntimeError):
    """The command cannot be found, or does not run here."""


class CommandFailed(RuntimeError):
    """The command ended with an error, which is the message."""

    def __init__(self, message: str, was_killed: bool = False) -> None:
        super().__init__(message)
        # Whether a signal ended it.
        self.was_killed = was_killed


def find() -> str:
    """The path of the command. Raises `CommandMissing`."""
    named = os.environ.get(VARIABLE)
    if named:
        if os.access(named, os.X_OK):
            return named
        raise CommandMissing(f"{VARIABLE} names {named}, which is not a program")
    folders = [sysconfig.get_path("scripts"), os.path.dirname(sys.executable)]
    found = shutil.which("cgsan", path=os.pathsep.join(folders)) or shutil.which("cgsan")
    if found is None:
        raise CommandMissing(
            f"the command `cgsan` is neither beside {sys.executable} nor in PATH; install cgsan's wheel in this environment, or "
            f"name the command in {VARIABLE}"
        )
    return found


def run(
    arguments: Sequence[str],
    text: str | None = None,
    statuses: Container[int] = (0,),
    folder: str | None = None,
) -> str:
    """What the command writes to standard output, given `text` on standard input.

    Raises `CommandMissing`, and `CommandFailed` if it ends with none of these statuses.
    """
    return _run(arguments, text, statuses, folder).stdout


def status(arguments: Sequence[str], statuses: Container[int]) -> int:
    """The status that the command ends with, one of these. Raises what `run` does."""
    return _run(arguments, None, statuses, None).returncode


def _run(
    arguments: Sequence[str], text: str | None, statuses: Container[int], folder: str | None
) -> subprocess.CompletedProcess[str]:
    command = find()
    try:
        ended = subprocess.run(
            [command, *arguments],
            input=text,
            stdin=subprocess.DEVNULL if text is None else None,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            cwd=folder,
            check=False,
        )
    except OSError as error:
        raise CommandMissing(f"{command} does not run: {error}") from error
    if ended.returncode not in statuses:
        said = ended.stderr.strip() or f"it ended with status {ended.returncode} and said nothing"
        raise CommandFailed(f"`cgsan {arguments[0]}` failed: {said}", ended.returncode < 0)
    return ended
