"""Programs that compute something else at replay, and correct ones like them: what they compute, and what cgsan finds.

A program says what is to be found in it by a comment at the line, `# cgsan: CG203`; one without is correct. What `cgsan` is known
not to find is in `examples/not_found.toml`; for the cases of `tests/truth`, `expected.toml` says what is to be found. The
examples end with a line `replay … eager …`, whose two sides differ where a mistake is made.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[3]
LIMIT_SECONDS = 120
FOLDERS = {
    "tests/truth/cases": ["n*.py"],
    "examples": [f"cg2*/{kind}*.py" for kind in ("fails", "fixed", "lookalike", "variant")],
    "tests/replays": ["*.py", "planted/*.py"],
    # Kernels that are no operators: of CuPy, of libraries that `nvcc` builds, of numba and of `cuda.core`.
    "xtask/src/device_test/kernels": ["*.py"],
    "tests/runtimes": ["*.py", "planted/CG2*.py"],
}
MARK = re.compile(r"# cgsan: (CG\d+)")
ANSWERS = re.compile(r"replay (.*) eager (.*)")


def programs(wanted):
    """The programs whose paths contain one of these; all if there are none."""
    found = [
        path
        for folder, patterns in FOLDERS.items()
        for pattern in patterns
        for path in sorted((ROOT / folder).glob(pattern))
    ]
    names = {path: str(path.relative_to(ROOT)) for path in found}
    return [path for path, name in names.items() if not wanted or any(it in name for it in wanted)]


def run(command, folder):
    """The exit status, the output and the seconds of a command; a status of None is a hang."""
    begun = time.perf_counter()
    # A file, not a pipe: what a program that hangs has said is not lost.
    with open(folder / "out", "w+") as out, open(folder / "err", "w+") as err:
        try:
            status = subprocess.run(
                command, cwd=folder, stdout=out, stderr=err, timeout=LIMIT_SECONDS
            ).returncode
        except subprocess.TimeoutExpired:
            status = None
        taken = time.perf_counter() - begun
        for file in (out, err):
            file.seek(0)
        return status, out.read(), err.read(), round(taken, 1)


def last_line(text):
    return (text.strip().splitlines() or [""])[-1][:300]


def differs(line):
    """Whether replays and eager calls gave different results; None where the program does not say."""
    answers = ANSWERS.fullmatch(line)
    return answers and answers[1] != answers[2]


def table(name):
    path = ROOT / name
    return tomllib.loads(path.read_text()) if path.exists() else {}


NOT_FOUND = table("examples/not_found.toml")
TRUTH = table("tests/truth/expected.toml")


def expected(path):
    """What is to be found: ids and lines."""
    case = TRUTH.get(path.stem, {}) if path.parent.name == "cases" else {}
    if "id" in case:
        return [[case["id"], case.get("line")]]
    lines = path.read_text().splitlines()
    marks = [(MARK.search(line), number) for number, line in enumerate(lines, 1)]
    return [[mark[1], number] for mark, number in marks if mark]


def judge(cgsan, path):
    """What a program did with and without cgsan, and what is not as it should be."""
    program = [sys.executable, str(path)]
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        status, out, err, seconds = run(program, work)
        report_file = work / "report.json"
        watch = [cgsan, "run", "--gpu", "--json", "--output", str(report_file), "--"]
        watched = run([*watch, *program], work)
        try:
            report = json.loads(report_file.read_text())
        except (OSError, ValueError):
            report = {"findings": [], "notes": [{"text": f"no report: {watched[2][-300:]}"}]}
    line = last_line(out)
    found = []
    for finding in report["findings"]:
        location = finding.get("location") or {}
        own = pathlib.Path(location.get("file", "")).name == path.name
        found.append([finding["id"], location.get("line") if own else None])
    wanted = expected(path)
    missed = NOT_FOUND.get(str(path.relative_to(ROOT)))
    problems = []
    if missed and [id for id, _ in found] != missed.get("instead", []):
        problems.append(f"found {found}, not {missed.get('instead', [])} instead of {wanted}")
    elif not missed and found != wanted:
        problems.append(f"found {found}, not {wanted}")
    if differs(line) is not None and differs(line) != bool(wanted):
        problems.append("the results " + ("differ" if differs(line) else "are equal"))
    if watched[0] != status:
        problems.append(f"exit status {watched[0]}, not {status}")
    # What is read from freed memory, or raced for, is another thing each time.
    if not wanted and last_line(watched[1]) != line:
        problems.append(f"last line {last_line(watched[1])!r}, not {line!r}")
    return {
        "case": str(path.relative_to(ROOT)),
        "exit": status,
        "last_line": line,
        "error": last_line(err) if status else "",
        "wanted": wanted,
        "found": found,
        "not_found": bool(missed),
        "titles": [finding["title"] for finding in report["findings"]],
        "notes": [note["text"] for note in report["notes"]],
        "seconds": [seconds, watched[3]],
        "problems": problems,
    }


def judge_all(cgsan, wanted, jobs, keep=lambda results: None):
    """All programs, several at a time. `keep` is given what is there so far."""
    results = []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        tasks = [pool.submit(judge, cgsan, path) for path in programs(wanted)]
        for task in concurrent.futures.as_completed(tasks):
            results.append(task.result())
            keep(results)
    return sorted(results, key=lambda entry: entry["case"])


def main():
    """`python answers.py CGSAN FILE [JOBS] [NAME ...]`: the results as JSON."""
    cgsan, file, *more = sys.argv[1:]
    jobs = int(more[0]) if more else max(1, (os.cpu_count() or 2) // 2)

    def keep(results):
        pathlib.Path(file).write_text(json.dumps(results, indent=None) + "\n")

    results = judge_all(str(pathlib.Path(cgsan).resolve()), more[1:], jobs, keep)
    keep(results)
    for entry in results:
        if entry["problems"]:
            print(entry["case"], "; ".join(entry["problems"]))
    print(sum(not entry["problems"] for entry in results), "of", len(results), "as expected")


if __name__ == "__main__":
    main()
