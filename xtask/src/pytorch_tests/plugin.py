"""Writes how tests of PyTorch ended, a line of JSON each."""

import json
import os
import traceback

import pytest


def pytest_pycollect_makemodule(module_path) -> None:
    """Gives the tests of 2.6 the name that they import and that PyTorch has changed since."""
    if module_path.parent.name == "inductor":
        from torch.testing._internal import inductor_utils as utils

        if not hasattr(utils, "HAS_CUDA"):
            utils.HAS_CUDA = utils.HAS_CUDA_AND_TRITON


def line_of_the_test(item, frames) -> int | None:
    """The line of the test's file that the innermost of these frames is at."""
    lines = [frame.lineno for frame in frames if frame.filename == str(item.path)]
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
    report.stopped_at = (
        line_of_the_test(item, traceback.extract_tb(call.excinfo.tb)) if stopped else None
    )
    report.message = message_of(call.excinfo) if stopped else None
    return report


def pytest_runtest_logreport(report) -> None:
    """Writes the outcome of the phase that decided: the call, or a set-up that skipped or failed. The last one counts."""
    if report.when == "call" or report.outcome != "passed":
        outcome = "xfailed" if hasattr(report, "wasxfail") else report.outcome
        told = {"outcome": outcome, "line": report.stopped_at, "message": report.message}
        with open(os.environ["PYTORCH_TESTS_OUTCOME"], "a") as file:
            print(json.dumps({"test": report.nodeid, **told}), file=file)
