"""pytest, once more, under `cgsan run`: the GPU has to be there before PyTorch is imported."""

from __future__ import annotations

import os
import sys
import threading

import pytest

from .. import command
from ..recording import ONLY_UNTOLD, run_directory
from . import selection

# What Python was started with that cannot be started again: its program came from standard input.
FROM_STANDARD_INPUT = "-"


def under_cgsan(config: pytest.Config, options: list[str]) -> None:
    """Replaces this process by `cgsan run` with the same command line; returns if it runs there already.

    Raises `pytest.UsageError` if that cannot be.
    """
    if run_directory() is not None:
        if options and ONLY_UNTOLD not in os.environ:
            raise pytest.UsageError(
                "pytest runs under `cgsan run` already: give it the options "
                + " ".join(options)
                + ", without --cgsan-"
            )
        return
    obstacle = _obstacle()
    if obstacle is not None:
        raise pytest.UsageError(
            f"--cgsan cannot start pytest anew: {obstacle}; start it as `cgsan run -- python -m pytest --cgsan …`"
        )
    try:
        path = command.find()
    except command.CommandMissing as error:
        raise pytest.UsageError(f"--cgsan: {error}") from error
    options = [*options, *selection.everywhere(config)]
    # What tests have not told, such as what ends with the program, is told when pytest has ended.
    words = [path, "run", "--untold", "--strict", *options]
    words += ["--", sys.executable, *sys.orig_argv[1:]]
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        os.execve(path, words, {**os.environ, command.VARIABLE: path, ONLY_UNTOLD: "1"})
    except OSError as error:
        raise pytest.UsageError(f"--cgsan: {path} does not run: {error}") from error


def _obstacle() -> str | None:
    """Why this process cannot be replaced, or None."""
    if "PYTEST_CURRENT_TEST" in os.environ:
        return "a test started it in its own process"
    if "torch" in sys.modules:
        return "PyTorch has been imported"
    if threading.active_count() > 1:
        return "other threads run in this process"
    if sys.orig_argv[-1:] == [FROM_STANDARD_INPUT]:
        return "its program came from standard input"
    return None
