"""Runs cgsan on a machine with a GPU, which needs neither a Rust toolchain nor a network.

Usage: python run.py CGSAN OUT [--only cases answers ranks cost catalogue] [--cases NAME ...] [--cost-seconds N] [--start-seconds N] [--jobs N]

`cases` runs every program of `tests/truth` with and without cgsan, and compares what they did with each other and with what
`expected.toml` says is to be found; `answers` does so with programs that compute something else at replay; `ranks` does the same with the programs of two ranks, where there are two GPUs; `cost`
measures what cgsan costs, for so many seconds; `catalogue` runs the programs of the catalogue's fixes and dead ends that so many
GPUs can decide, without cgsan. `--cases` names some of the programs. Leaves `device.json` and `device.md` in OUT, and
`evidence.toml`, which belongs in `examples/evidence`.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import time

import answers
import claims
import cost
import judge

PARTS = ["cost", "ranks", "cases", "answers", "catalogue"]
# Programs of ranks at a time: one that hangs leaves the GPUs idle.
JOBS_OF_RANKS = 3


def versions():
    """What the results were had on."""
    query = (
        "import torch; print(torch.__version__, torch.cuda.get_device_name(), torch.version.cuda,"
        " torch.cuda.device_count(), sep='\\n')"
    )
    torch, gpu, cuda, gpus = subprocess.check_output(
        [sys.executable, "-c", query], text=True
    ).splitlines()
    driver = subprocess.check_output(
        ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"], text=True
    )
    return {
        "gpu": gpu,
        "gpus": int(gpus),
        "driver": driver.split()[0],
        "cuda": cuda,
        "torch": torch,
        "python": sys.version.split()[0],
        "date": time.strftime("%Y-%m-%d"),
    }


def summary(results, seconds):
    """How many programs did as expected, and what the others did."""
    good = [entry for entry in results if not entry["problems"]]
    lines = [f"{len(good)} of {len(results)} programs as expected ({seconds:.0f} s)", ""]
    for entry in results:
        if entry["problems"]:
            lines.append(f"- {entry['case']}: " + "; ".join(entry["problems"]))
    return [*lines, ""]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cgsan")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--only", nargs="*", choices=PARTS, default=PARTS)
    parser.add_argument("--cases", nargs="*", default=[])
    parser.add_argument("--cost-seconds", type=float, default=150)
    parser.add_argument("--start-seconds", type=float, default=70)
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) // 2))
    options = parser.parse_args()
    cgsan = str(pathlib.Path(options.cgsan).resolve())
    result = {"on": versions()}
    text = [", ".join(f"{key} {value}" for key, value in result["on"].items()), ""]

    def keep():
        """After each part, so that one that is cut off leaves those before it."""
        options.out.mkdir(parents=True, exist_ok=True)
        (options.out / "device.json").write_text(json.dumps(result, indent=1) + "\n")
        (options.out / "device.md").write_text("\n".join(text) + "\n")

    for part in PARTS:
        if part not in options.only:
            continue
        if part == "ranks" and result["on"]["gpus"] < 2:
            text += ["Programs of two ranks need two GPUs.", ""]
            continue
        begun = time.perf_counter()
        if part == "cost":
            result["cost"] = cost.measure(cgsan, options.cost_seconds, options.start_seconds)
            text += [cost.table(result["cost"]), ""]
        elif part == "answers":
            result[part] = answers.judge_all(cgsan, options.cases, options.jobs)
            text += summary(result[part], time.perf_counter() - begun)
        elif part == "catalogue":
            result[part] = claims.judge_all(options.cases, options.jobs, result["on"]["gpus"])
            options.out.mkdir(parents=True, exist_ok=True)
            evidence = claims.evidence(result[part], result["on"])
            (options.out / "evidence.toml").write_text(evidence)
            text += summary(result[part], time.perf_counter() - begun)
        else:
            of_ranks = part == "ranks"
            folders = judge.FOLDERS_OF_RANKS if of_ranks else judge.FOLDERS
            jobs = min(options.jobs, JOBS_OF_RANKS) if of_ranks else options.jobs
            result[part] = judge.judge_all(cgsan, folders, options.cases, jobs)
            text += summary(result[part], time.perf_counter() - begun)
        keep()
    print("\n".join(text))


main()
