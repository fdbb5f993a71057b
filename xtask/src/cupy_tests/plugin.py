"""Writes how each test of CuPy ended: a line of JSON for each."""

import json
import os


def reason_of(report) -> str:
    """The error that a test stopped with, in one line."""
    crash = getattr(report.longrepr, "reprcrash", None)
    if crash is not None:
        return crash.message.splitlines()[0]
    return str(report.longrepr[2]) if isinstance(report.longrepr, tuple) else ""


def pytest_runtest_logreport(report) -> None:
    """Writes the outcome of the phase that decided: the call, or a set-up that skipped or failed."""
    if report.when == "call" or report.outcome != "passed":
        outcome = "xfailed" if hasattr(report, "wasxfail") else report.outcome
        with open(os.environ["CUPY_TESTS_OUTCOMES"], "a") as file:
            line = {
                "name": report.nodeid.rpartition("/")[2],
                "outcome": outcome,
                "reason": reason_of(report),
            }
            file.write(json.dumps(line) + "\n")
