"""The plugin of pytest: `pytest --cgsan` puts each test under the sanitizer.

pytest loads this file in every project that has cgsan installed, so it imports nothing that it may not need.
"""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .report import Report
    from .testing.judge import Judge

# Options of pytest, each that of `cgsan run` with `cgsan-` before it: whether it has a value, and what it says.
PASSED_ON = {
    "virtual": (None, "the virtual GPU, even if there is a real one"),
    "gpu": (None, "this machine's GPU"),
    "no-values": (None, "compute nothing on the virtual GPU"),
    "schedule": ("SCHEDULE", "when the virtual GPU does work: lazy, eager or random:SEED"),
    "gpus": ("COUNT", "how many virtual GPUs there are"),
    "gpu-memory": ("SIZE", "how much memory the virtual GPU has, e.g. 24GB"),
    "watch-always": (None, "watch a real GPU's calls all the time"),
    "hang-timeout": ("SECONDS", "after how long without progress to say where threads stand"),
    "on-hang": ("ACTION", "kill or continue"),
}

# Those that say which findings fail tests.
SELECTION = (
    ("select", "IDS", "report only findings with these ids"),
    ("ignore", "IDS", "let findings with these ids pass, e.g. CG119,CG303"),
    ("baseline", "FILE", "let the findings listed in this file pass"),
)

JUDGE = "cgsan-judge"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("cgsan", "CUDA graph sanitizer (cgsan)")
    group.addoption(
        "--cgsan",
        action="store_true",
        help="run each test under `cgsan run`, and fail those in which it finds something",
    )
    for name, metavar, text in SELECTION:
        text = f"{text} (as of `cgsan run`)"
        group.addoption(f"--cgsan-{name}", metavar=metavar, default="", help=text)
    group.addoption(
        "--cgsan-allow-nothing",
        action="store_true",
        help="pass also if no test captures or replays a CUDA graph",
    )
    parser.addini("cgsan_ignore", "ids of findings that pass in all tests", type="args")
    for name, (value, text) in PASSED_ON.items():
        how = {"action": "store_true"} if value is None else {"metavar": value, "default": None}
        group.addoption(f"--cgsan-{name}", help=f"{text} (as of `cgsan run`)", **how)


# A wrapper of the old kind, which pytest of any age takes: whoever does not ask for cgsan may have an old one.
@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Generator[None]:
    # Before pytest captures output, and before anything of the project is imported.
    if is_wanted(early_config.known_args_namespace):
        from .testing import restart

        restart.under_cgsan(early_config, passed_on(early_config.known_args_namespace))
    yield


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "cgsan(ignore=[…]): under `pytest --cgsan`, findings of these ids do not fail the test",
    )
    # Where pytest was not started anew, as for `--help`, there is nothing to judge.
    if is_wanted(config.option) and os.path.isdir(os.environ.get("CGSAN_RUN_DIRECTORY", "")):
        from .testing.judge import Judge

        config.pluginmanager.register(Judge(config), JUDGE)


@pytest.fixture
def capture_report(
    request: pytest.FixtureRequest,
) -> Callable[[], AbstractContextManager[Report]]:
    """`with capture_report() as report:` has in `report` what was found and captured inside, when the block is over.

    What is found inside does not fail the test by itself. Skips the test where pytest runs without `--cgsan`.
    """
    judge: Judge | None = request.config.pluginmanager.get_plugin(JUDGE)
    if judge is None:
        pytest.skip("`capture_report` needs `pytest --cgsan`")
    return judge.capture_report


def is_wanted(options: Namespace) -> bool:
    """Whether tests are to be judged: each of the options asks for it."""
    selected = [getattr(options, f"cgsan_{name}") for name, _, _ in SELECTION]
    return options.cgsan or any(selected) or bool(passed_on(options))


def passed_on(options: Namespace) -> list[str]:
    """The options of `cgsan run` that were given."""
    given = []
    for name, (value, _) in PASSED_ON.items():
        asked = getattr(options, f"cgsan_{name.replace('-', '_')}")
        if asked:
            given += [f"--{name}"] if value is None else [f"--{name}={asked}"]
    return given
