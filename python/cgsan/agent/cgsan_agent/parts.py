"""Parts of the program that are judged by themselves while it runs: the tests of pytest."""

import os

from . import cells


def test_of_environment():
    """The test that runs, as pytest says, in this process or in one that started it; None if none does."""
    # `tests/test_a.py::test_b (call)`, where the last word is the phase.
    test, _, phase = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")
    return test if phase.startswith("(") else None


def begin(recorder, name):
    """Says that a part of this name begins."""
    recorder.event({"event": "part_begins", "name": name})


def ends(recorder):
    """Says that what happened up to here is about to be reported."""
    cells.tell(recorder)


def told(recorder):
    """Says that all up to here has been reported."""
    recorder.event({"event": "parts_told"})
