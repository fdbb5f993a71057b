"""Runs the program of every fix and dead end of the catalogue on the GPU, as `cargo xtask verify` does on the virtual one.

A fix must end well, a dead end must fail. What each did goes into a file as those of `examples/evidence`.
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
# Programs that hang end themselves after 60 s.
LONGEST_S = 150
# What a program does that another one on the same device would disturb: it sizes its tensors by the device, or measures time.
NEEDS_THE_DEVICE_ALONE = ("mem_get_info", "perf_counter", "elapsed_time")
RANK = re.compile(r"^\[rank\d+\]: ?", re.MULTILINE)


def programs(names, gpus):
    """The programs that so many GPUs can decide, of these names if there are any; each with whether it must end well."""
    for file in sorted((ROOT / "catalogue").glob("CG*.toml")):
        entry = tomllib.loads(file.read_text())
        folders = sorted((ROOT / "examples").glob(f"{entry['id'].lower()}_*"))
        for kind in ("fixes", "dead_ends"):
            for claim in entry[kind]:
                if "program" not in claim or claim.get("ranks", 1) > gpus:
                    continue
                paths = [folder / f"{claim['program']}.py" for folder in folders]
                program = next(path for path in paths if path.exists())
                if not names or any(name in str(program) for name in names):
                    yield program, kind == "fixes"


def fingerprint(text):
    """A number that changes with a text, as `cgsan_catalogue::fingerprint` has it."""
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = ((value ^ byte) * 0x100000001B3) % (1 << 64)
    return f"{value:016x}"


def outcome(program):
    """How a program ended, in a few words."""
    with tempfile.TemporaryDirectory() as caches:
        # What an earlier program compiled would spare this one the compilation that it is about.
        own = {
            "TORCHINDUCTOR_CACHE_DIR": f"{caches}/inductor",
            "TRITON_CACHE_DIR": f"{caches}/triton",
        }
        try:
            result = subprocess.run(
                [sys.executable, str(program)],
                cwd=ROOT,
                env={**os.environ, **own},
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
    said = RANK.sub("", result.stderr)
    _, found, last = said.rpartition("Traceback (most recent call last):")
    errors = [line for line in last.splitlines()[1:] if line and not line.startswith(" ")]
    return errors[0].split(":")[0] if found and errors else f"exit status: {result.returncode}"


def judge(claim):
    """What a program did, and what is wrong with that."""
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


def judge_all(names, jobs, gpus):
    """What each program did, in the order of the catalogue; those that need the device alone run after the others."""
    claims = list(programs(names, gpus))
    alone, together = [], []
    for claim in claims:
        source = claim[0].read_text()
        need = any(word in source for word in NEEDS_THE_DEVICE_ALONE)
        (alone if need else together).append(claim)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        done = dict(zip(together, pool.map(judge, together), strict=True))
    done |= {claim: judge(claim) for claim in alone}
    return [done[claim] for claim in claims]


def evidence(results, on):
    """What the programs did, as a file of `examples/evidence`."""
    gpus = f"{on['gpus']} × " if on["gpus"] > 1 else ""
    machine = (
        f"{gpus}{on['gpu']}, driver {on['driver']}, PyTorch {on['torch']}, Python {on['python']}"
    )
    lines = [
        "# What the programs of the fixes and dead ends did. Written by `cargo xtask device-test`.",
        "",
        f"machine = {json.dumps(machine, ensure_ascii=False)}",
        f"gpus = {on['gpus']}",
    ]
    for result in results:
        lines += [
            "",
            "[[programs]]",
            f"path = {json.dumps(result['case'])}",
            f"fingerprint = {json.dumps(result['fingerprint'])}",
            f"outcome = {json.dumps(result['outcome'])}",
        ]
    return "\n".join(lines) + "\n"
