"""Runs cgsan on a machine with a GPU, which needs neither a Rust toolchain nor a network.

Usage: python run.py CGSAN OUT [--cases NAME ...] [--rounds N] [--jobs N]

Runs every program of `tests/truth` with and without cgsan, compares what they did with each other and with what
`expected.toml` says is to be found; then measures what cgsan costs, in turns. Leaves `device.json` and `device.md` in OUT.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
LIMIT_SECONDS = 90
# Some programs race, with and without cgsan: one run that is alike will do.
TRIES = 3
FOLDERS = ["tests/truth", "tests/truth/more", "xtask/src/device_test/programs"]
# Digits and addresses may differ between two runs of the same program.
VARYING = re.compile(r"0x[0-9a-f]+|\d+(\.\d+)?")


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


def judge(cgsan, path, expected, folder):
    """What a program did with and without cgsan, and everything that is not as it should be."""
    with tempfile.TemporaryDirectory() as work:
        report_file = pathlib.Path(work, "report.json")
        words = [
            cgsan,
            "run",
            "--gpu",
            "--json",
            "--output",
            str(report_file),
            "--",
            sys.executable,
            str(path),
        ]
        watched = run(words, cwd=work)
        for _ in range(TRIES):
            plain = run([sys.executable, str(path)], cwd=work)
            if outcome(plain, expected) == outcome(watched, expected):
                break
        try:
            report = json.loads(report_file.read_text())
        except (OSError, ValueError):
            report = {"findings": [], "notes": []}
            plain_problem = [f"no report: {watched[2][-300:]}"]
        else:
            plain_problem = []
    problems = list(plain_problem)

    def compare(what, wanted, got):
        if wanted != got:
            problems.append(f"{what}: {got}, not {wanted}")

    without, with_it = outcome(plain, expected), outcome(watched, expected)
    for what in without:
        compare(what, without[what], with_it[what])
    findings = report["findings"]
    ids = [finding["id"] for finding in findings]
    compare("findings", expected.get("id", "none"), " ".join(ids) or "none")
    if findings:
        finding = findings[0]
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
    return {
        "folder": folder,
        "case": path.stem,
        "exit": watched[0],
        "findings": ids,
        "notes": [note["text"] for note in report["notes"]],
        "call": (findings[0].get("call") if findings else None),
        "native": (findings[0].get("native_stack") if findings else None),
        "problems": problems,
    }


def judge_all(cgsan, names, jobs):
    """Judges the programs, several at a time."""
    work = []
    for folder in FOLDERS:
        expected = tomllib.loads((ROOT / folder / "expected.toml").read_text())
        cases = ROOT / folder / "cases"
        for path in sorted((cases if cases.is_dir() else ROOT / folder).glob("*.py")):
            entry = expected.get(path.stem, {})
            if "left_out" not in entry and (not names or path.stem in names):
                work.append((cgsan, path, entry, folder))
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(lambda item: judge(*item), work))


# The other tools are there to compare with, and need no more than a few turns.
OTHERS = ("profiler", "callbacks")
OTHERS_ROUNDS = 2

START = "import torch; torch.zeros(8, device='cuda').add_(1); torch.cuda.synchronize()"


def measure(cgsan, rounds):
    """What programs cost, in turns: plainly, under cgsan, and with other tools."""
    timing = str(HERE / "timing.py")
    watch = [cgsan, "run", "--gpu", "--output", "/dev/null", "--"]
    runs = {
        "plain": [sys.executable, timing, "plain"],
        "cgsan": [*watch, sys.executable, timing, "plain"],
        "profiler": [sys.executable, timing, "profiler"],
        "callbacks": [sys.executable, timing, "callbacks"],
    }
    starts = {
        "plain": [sys.executable, "-c", START],
        "cgsan": [*watch, sys.executable, "-c", START],
    }
    seen = {name: {} for name in runs}
    run(starts["plain"])  # So that no measurement reads PyTorch from the disk.
    for turn in range(rounds):
        for name, command in runs.items():
            if name in OTHERS and turn >= OTHERS_ROUNDS:
                continue
            status, out, err = run(command)
            if status != 0:
                print(name, "failed:", err[-500:])
                continue
            for key, value in json.loads(out.splitlines()[-1]).items():
                seen[name].setdefault(key, []).append(value)
        for name, command in starts.items():
            begun = time.perf_counter()
            run(command)
            seen[name].setdefault("start_s", []).append(time.perf_counter() - begun)
    return seen


def ratios(seen, key):
    """How much dearer each run was than the plain one of the same turn: the machine's speed drifts."""
    turns = zip(seen["plain"].get(key, []), seen["cgsan"].get(key, []), strict=False)
    return sorted(with_it / plain for plain, with_it in turns)


ROWS = [
    ("launch_us", "launch in an eager loop, the first 100,000, µs", 1.05),
    ("later_launch_us", "launch in an eager loop, later, µs", 1.05),
    ("replay_us", "replay of a graph of 10 nodes, the first 50,000, µs", 1.01),
    ("replay_of_one_us", "replay of a graph of one node, 50,000, µs", 1.01),
    ("capture_in_place_us", "capture of 1,000 nodes, µs a node", 2.0),
    ("capture_allocating_us", "the same with an allocation each, µs a node", 2.0),
    ("small_capture_us", "capture of 10 nodes, µs", None),
    ("start_s", "`import torch` and the first kernel, s", 1.1),
]


def table(seen):
    """The measurements, a line each: medians, and of the ratios also the least and the greatest."""
    lines = [
        "| | plain | cgsan | ratio (of single turns) | goal | `torch.profiler` | all callbacks |",
        "|---|---|---|---|---|---|---|",
    ]
    for key, text, goal in ROWS:
        turns = ratios(seen, key)
        if not turns:
            continue
        plain, cgsan = (statistics.median(seen[name][key]) for name in ("plain", "cgsan"))
        others = [seen[name].get(key) for name in OTHERS]
        cells = [f"{statistics.median(other) / plain:.2f} ×" if other else "" for other in others]
        bound = f"{goal:.2f} ×" if goal else ""
        ratio = f"{statistics.median(turns):.3f} × ({turns[0]:.2f} to {turns[-1]:.2f})"
        lines.append(
            f"| {text} | {plain:.2f} | {cgsan:.2f} | {ratio} | {bound} | {cells[0]} | {cells[1]} |"
        )
    return "\n".join(lines)


def versions():
    """What the results were had on."""
    query = "import torch;print(torch.__version__,torch.cuda.get_device_name(),torch.version.cuda,sep='\\n')"
    torch, gpu, cuda = subprocess.check_output(
        [sys.executable, "-c", query], text=True
    ).splitlines()
    driver = subprocess.check_output(
        ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"], text=True
    )
    return {
        "gpu": gpu,
        "driver": driver.split()[0],
        "cuda": cuda,
        "torch": torch,
        "python": sys.version.split()[0],
        "date": time.strftime("%Y-%m-%d"),
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cgsan")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--cases", nargs="*", default=[])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) // 2))
    options = parser.parse_args()
    cgsan = str(pathlib.Path(options.cgsan).resolve())
    result = {"on": versions()}
    text = [", ".join(f"{key} {value}" for key, value in result["on"].items()), ""]
    if options.rounds:
        result["cost"] = measure(cgsan, options.rounds)
        text += [table(result["cost"]), ""]
    begun = time.perf_counter()
    results = judge_all(cgsan, options.cases, options.jobs)
    result["cases"] = results
    good = [entry for entry in results if not entry["problems"]]
    text += [
        f"{len(good)} of {len(results)} programs as expected ({time.perf_counter() - begun:.0f} s)",
        "",
    ]
    for entry in results:
        if entry["problems"]:
            text.append(f"- {entry['case']}: " + "; ".join(entry["problems"]))
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "device.json").write_text(json.dumps(result, indent=1) + "\n")
    (options.out / "device.md").write_text("\n".join(text) + "\n")
    print("\n".join(text))


main()
