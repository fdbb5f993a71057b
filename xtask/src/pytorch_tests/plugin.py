"""Writes how a test of PyTorch ended."""

import json
import os
import traceback

import pytest


def line_of_the_test(frames) -> int | None:
    """The line of test_cuda.py that the innermost of these frames is at."""
    lines = [frame.lineno for frame in frames if os.path.basename(frame.filename) == "test_cuda.py"]
    return lines[-1] if lines else None


def message_of(excinfo) -> str:
    """The type of an exception, and the first line of what it says."""
    text = str(excinfo.value).strip().split("\n", 1)[0]
    return f"{excinfo.typename}: {text}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Adds the line at which a test stopped to its report."""
    report = yield
    stopped = call.excinfo is not None
    report.stopped_at = line_of_the_test(traceback.extract_tb(call.excinfo.tb)) if stopped else None
    report.message = message_of(call.excinfo) if stopped else None
    return report


def pytest_runtest_logreport(report) -> None:
    """Writes the outcome of the phase that decided: the call, or a set-up that skipped or failed."""
    if report.when == "call" or report.outcome != "passed":
        outcome = "xfailed" if hasattr(report, "wasxfail") else report.outcome
        with open(os.environ["PYTORCH_TESTS_OUTCOME"], "w") as file:
            outcome = {"outcome": outcome, "line": report.stopped_at, "message": report.message}
            json.dump(outcome, file)
