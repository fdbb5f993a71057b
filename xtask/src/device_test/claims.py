"""Runs the program of every fix and dead end of the catalogue on the GPU, as `cargo xtask verify` does on the virtual one.

A fix must end well, a dead end must fail. What each did goes into a file as those of `examples/evidence`.
"""

import concurrent.futures
import json
import pathlib
import subprocess
import sys
import time
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[3]
# Programs that hang end themselves after 60 s.
LONGEST_S = 150


def programs():
    """The programs, each with whether it must end well."""
    for file in sorted((ROOT / "catalogue").glob("CG*.toml")):
        entry = tomllib.loads(file.read_text())
        [folder] = (ROOT / "examples").glob(f"{entry['id'].lower()}_*")
        for kind in ("fixes", "dead_ends"):
            for claim in entry[kind]:
                if "program" in claim:
                    yield folder / f"{claim['program']}.py", kind == "fixes"


def fingerprint(text):
    """A number that changes with a text, as `cgsan_catalogue::fingerprint` has it."""
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = ((value ^ byte) * 0x100000001B3) % (1 << 64)
    return f"{value:016x}"


def outcome(program):
    """How a program ended, in a few words."""
    try:
        result = subprocess.run(
            [sys.executable, str(program)],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=LONGEST_S,
        )
    except subprocess.TimeoutExpired:
        return "did not end"
    if result.returncode == 0:
        return "ended well"
    _, found, last = result.stderr.rpartition("Traceback (most recent call last):")
    errors = [line for line in last.splitlines()[1:] if line and not line.startswith(" ")]
    return errors[0].split(":")[0] if found and errors else f"exit status: {result.returncode}"


def judge_all(jobs):
    """What each program did, and what is wrong with that."""

    def judge(claim):
        program, must_end_well = claim
        begun = time.perf_counter()
        end = outcome(program)
        expected = (end == "ended well") == must_end_well
        should = "end well" if must_end_well else "fail"
        return {
            "case": str(program.relative_to(ROOT)),
            "outcome": end,
            "fingerprint": fingerprint(program.read_text()),
            "seconds": round(time.perf_counter() - begun, 1),
            "problems": [] if expected else [f"should {should}, but: {end}"],
        }

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(judge, programs()))


def evidence(results, on):
    """The programs that did what is claimed, as a file of `examples/evidence`."""
    machine = f"{on['gpu']}, driver {on['driver']}, PyTorch {on['torch']}, Python {on['python']}"
    lines = [
        "# What the programs of the fixes and dead ends did. Written by `cargo xtask device-test`.",
        "",
        f"machine = {json.dumps(machine)}",
    ]
    for result in results:
        if not result["problems"]:
            lines += [
                "",
                "[[programs]]",
                f"path = {json.dumps(result['case'])}",
                f"fingerprint = {json.dumps(result['fingerprint'])}",
                f"outcome = {json.dumps(result['outcome'])}",
            ]
    return "\n".join(lines) + "\n"
