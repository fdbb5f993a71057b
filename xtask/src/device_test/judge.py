"""Programs with and without cgsan: whether they do the same, and whether cgsan finds what is to be found."""

import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[3]
LIMIT_SECONDS = 90
# Some programs race, with and without cgsan: one run that is alike will do.
TRIES = 3
FOLDERS = ["tests/truth", "tests/truth/more", "xtask/src/device_test/programs"]
# Programs of two ranks, each with a GPU of its own.
FOLDERS_OF_RANKS = ["tests/truth/multi"]
TORCHRUN = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
# After how many seconds a rank that hangs says where, and ends.
HANGS_AFTER = "12"
# Digits and addresses may differ between two runs of the same program.
VARYING = re.compile(r"0x[0-9a-f]+|\d+(\.\d+)?")
RANK = re.compile(r"^\[rank\d+\]: ?")
ERROR = re.compile(r"^[\w.]*(Error|Exception)\b")


def run(command, **more):
    """Runs a command; its exit status, standard output and standard error. A status of None is a hang."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=LIMIT_SECONDS, **more
        )
        return done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired:
        return None, "", ""


def exceptions(stderr):
    """The lines of the tracebacks, without what varies; cgsan's report on standard error has none of this form."""
    kept = []
    inside = False
    for line in stderr.splitlines():
        inside = inside or line.startswith("Traceback (most recent call last):")
        if inside:
            kept.append(VARYING.sub("#", line))
        inside = inside and (line.startswith((" ", "Traceback")) or not line.strip())
    return kept


def outcome(done, expected):
    """What of a run must be the same with and without cgsan."""
    status, stdout, stderr = done
    lines = exceptions(stderr)
    if expected.get("masked"):  # It tells how much memory which processes have.
        lines = [line[:100] for line in lines]
    return {
        "exit": status,
        "exceptions": lines,
        "stdout": None if "stdout" in expected else stdout,
    }


def outcome_of_ranks(done, _expected):
    """The same for a program of several ranks, which write when they like, and end each other."""
    status, stdout, stderr = done
    lines = (RANK.sub("", line) for line in stderr.splitlines())
    return {
        "exit": status,
        "exceptions": sorted({VARYING.sub("#", line) for line in lines if ERROR.match(line)}),
        "stdout": sorted(stdout),
    }


def judge(cgsan, path, expected, folder):
    """What a program did with and without cgsan, and everything that is not as it should be."""
    of_ranks = folder in FOLDERS_OF_RANKS
    seen = outcome_of_ranks if of_ranks else outcome
    program = [sys.executable, *(TORCHRUN if of_ranks else []), str(path)]
    environment = {**os.environ, "DUMP": HANGS_AFTER}
    with tempfile.TemporaryDirectory() as work:
        report_file = pathlib.Path(work, "report.json")
        watch = [cgsan, "run", "--gpu", "--json", "--output", str(report_file), "--"]
        watched = run([*watch, *program], cwd=work, env=environment)
        with_it = seen(watched, expected)
        for _ in range(TRIES):
            without = seen(run(program, cwd=work, env=environment), expected)
            if without == with_it:
                break
        problems = []
        try:
            report = json.loads(report_file.read_text())
        except (OSError, ValueError):
            report = {"findings": [], "notes": []}
            problems.append(f"no report: {watched[2][-300:]}")

    def compare(what, wanted, got):
        if wanted != got:
            problems.append(f"{what}: {got}, not {wanted}")

    for what in without:
        compare(what, without[what], with_it[what])
    findings = report["findings"]
    ids = [finding["id"] for finding in findings]
    wanted = [expected.get("id", "none"), *([expected["also"]] if "also" in expected else [])]
    compare("findings", " ".join(wanted), " ".join(ids) or "none")
    if findings:
        judge_finding(findings[0], path, expected, compare)
    return {
        "folder": folder,
        "case": path.stem,
        "exit": watched[0],
        "findings": ids,
        "ranks": [ranks_of(finding) for finding in findings],
        "notes": [note["text"] for note in report["notes"]],
        "call": (findings[0].get("call") if findings else None),
        "native": (findings[0].get("native_stack") if findings else None),
        "problems": problems,
    }


def judge_finding(finding, path, expected, compare):
    """Compares the place of a finding, and whose it is, with what is expected."""
    location = finding.get("location") or {}
    own = pathlib.Path(location.get("file", "")).name == path.name
    if "line" in expected:
        compare("line", expected["line"], location.get("line") if own else None)
    labelled = {
        label["location"]["line"]
        for label in finding["labels"]
        if pathlib.Path(label["location"]["file"]).name == path.name
    }
    unlabelled = [line for line in expected.get("labels", []) if line not in labelled]
    compare("lines without a label", [], unlabelled)
    if "ranks" in expected:
        compare("ranks", expected["ranks"], ranks_of(finding))


def ranks_of(finding):
    return [process["rank"] for process in finding["processes"]]


def judge_all(cgsan, folders, names, jobs):
    """Judges the programs of some folders, several at a time."""
    work = []
    for folder in folders:
        expected = tomllib.loads((ROOT / folder / "expected.toml").read_text())
        cases = ROOT / folder / "cases"
        for path in sorted((cases if cases.is_dir() else ROOT / folder).glob("*.py")):
            entry = expected.get(path.stem, {})
            if "left_out" not in entry and (not names or path.stem in names):
                work.append((cgsan, path, entry, folder))
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(lambda item: judge(*item), work))
