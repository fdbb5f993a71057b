"""What is found in a test fails it."""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Iterable, Iterator

import pytest

from .. import command
from ..recording import Recording
from ..report import Finding, Report
from . import selection

FOUND = pytest.StashKey[str]()
# What a test fails by; a test that is skipped, or interrupted, is not judged.
OWN_FAILURE = (Exception, pytest.fail.Exception)
# What workers of xdist hand to the process that they work for.
OUTPUT = "cgsan"
NOTHING_JUDGED = "cgsan: nothing was judged, since no test captured or replayed a CUDA graph; where that is right, give --cgsan-allow-nothing"


class Judge:
    """A plugin: it has each test recorded as a part of the program, and judged when it is over."""

    # The test that runs.
    _item: pytest.Item

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._recording = Recording(str(config.invocation_params.dir))
        self._selection = selection.everywhere(config)
        # Whether anything was captured or replayed so far.
        self._has_judged = False
        # What belongs to no test, as text.
        self._beside_tests: list[str] = []
        self._blocks = 0
        # Found in the test before a block of `capture_report`.
        self._pending: list[Finding] = []

    def pytest_collection_finish(self) -> None:
        # Modules of tests, and conftest files, may capture when they are imported.
        self._judge_the_rest()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None, object, object]:
        self._item = item
        self._blocks = 0
        self._recording.begin(item.nodeid)
        try:
            return (yield)
        except OWN_FAILURE:
            self._add_to_failure(item)
            raise

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        return (yield from self._judged(item))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Generator[None, object, object]:
        self._recording.begin(item.nodeid, "teardown")
        return (yield from self._judged(item))

    def _judged(self, item: pytest.Item) -> Generator[None, object, object]:
        try:
            result = yield
        except OWN_FAILURE:
            self._add_to_failure(item)
            raise
        findings = self._findings()
        if findings:
            raise pytest.fail.Exception(_headed(findings), pytrace=False)
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        made = yield
        text = item.stash.get(FOUND, None)
        if text is not None:
            del item.stash[FOUND]
            if made.failed and text not in made.longreprtext:
                _add(made, text)
        return made

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        self._judge_the_rest()
        output = getattr(self._config, "workeroutput", None)
        if output is not None:
            output[OUTPUT] = (self._beside_tests, self._has_judged)
            return
        fails = self._beside_tests or self._is_vain()
        if fails and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _is_vain(self) -> bool:
        """Whether tests ran, and that nothing was found says nothing."""
        option = self._config.option
        return not (self._has_judged or option.cgsan_allow_nothing or option.collectonly)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: object) -> None:
        # A worker that crashed has none.
        beside_tests, has_judged = getattr(node, "workeroutput", {}).get(OUTPUT, ([], False))
        self._beside_tests += beside_tests
        self._has_judged |= has_judged

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self._beside_tests:
            terminalreporter.section("cgsan: found outside of tests")
            for text in self._beside_tests:
                terminalreporter.write_line(text)
        if self._is_vain():
            terminalreporter.write_line(NOTHING_JUDGED)

    @contextlib.contextmanager
    def capture_report(self) -> Iterator[Report]:
        """What the fixture of this name gives."""
        self._pending += self._reported()
        self._blocks += 1
        self._recording.begin(self._item.nodeid, f"block {self._blocks}")
        report = Report()
        try:
            yield report
        finally:
            found = self._report() or Report()
            report.findings, report.graphs = found.findings, found.graphs
            self._recording.begin(self._item.nodeid, f"after block {self._blocks}")

    def _add_to_failure(self, item: pytest.Item) -> None:
        """Keeps what is found, for the report on a test that fails by itself."""
        with contextlib.suppress(command.CommandFailed, command.CommandMissing):
            findings = self._findings()
            if findings:
                item.stash[FOUND] = _text(findings)

    def _findings(self) -> list[Finding]:
        found = self._pending + self._reported()
        self._pending = []
        return found

    def _reported(self) -> list[Finding]:
        report = self._report()
        return [] if report is None else report.findings

    def _report(self) -> Report | None:
        """The report on what happened since the last one, less what the test ignores."""
        options = [*self._selection, *selection.of_markers(self._item)]
        return self._noted(self._recording.report(options))

    def _judge_the_rest(self) -> None:
        report = self._noted(self._recording.report_untold(self._selection))
        if report is not None:
            self._beside_tests += map(str, report.findings)

    def _noted(self, report: Report | None) -> Report | None:
        self._has_judged |= report is not None and report.has_judged
        return report


def _text(findings: Iterable[Finding]) -> str:
    return "\n\n".join(map(str, findings))


def _headed(findings: list[Finding]) -> str:
    """The text of a failure; its first line is what pytest's summary shows."""
    first, *others = findings
    head = f"{first.id}: {first.title}"
    if others:
        head += f" (and {', '.join(finding.id for finding in others)})"
    return f"{head}\n\n{_text(findings)}"


def _add(report: pytest.TestReport, text: str) -> None:
    """Adds to the text of a failure."""
    add_section = getattr(report.longrepr, "addsection", None)
    if add_section is not None:
        add_section("cgsan", text)
    else:
        report.longrepr = f"{report.longreprtext}\n\n{text}"
