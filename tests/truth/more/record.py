"""Record what a real GPU does with the programs in `cases/`, as a JSON list; the versions are printed.

Usage: python record.py OUT.json [NAME ...]

Needs a machine with a GPU and PyTorch; nothing else. The driver writes its own error log (`CUDA_LOG_FILE`, CUDA 12.9 or
newer), from which the first refused call is read.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TIMEOUT_SECONDS = 90
RETURNING = re.compile(r"Returning (\d+) \((\w+)\) from (\w+)")
LOG_PREFIX = re.compile(r"^\[[^\]]*\]\[[^\]]*\]\[CUDA\]\[E\] ")
RANK_PREFIX = re.compile(r"^\[rank\d+\]: ?")
# What counts as refused: out of memory, and the codes of captures and graphs. Others are asked for on purpose, as the
# device of a thread without a context (201), or whether work has ended (600).
REFUSALS = {2, *range(900, 911)}
FRAME = re.compile(r'^  File "([^"]+)", line (\d+)')


def first_traceback(stderr: str, case: str) -> tuple[str | None, str | None, list[int]]:
    """The first traceback's exception type, the first line of its message, and the case's own lines in it."""
    lines = [RANK_PREFIX.sub("", line) for line in stderr.splitlines()]
    try:
        at = next(i for i, line in enumerate(lines) if line.startswith("Traceback (most recent call last):"))
    except StopIteration:
        return None, None, []
    own = []
    for line in lines[at + 1 :]:
        if match := FRAME.match(line):
            if match[1].endswith(f"{case}.py"):
                own.append(int(match[2]))
        elif line and not line.startswith(" "):
            kind, _, message = line.partition(": ")
            return kind, message, own
    return None, None, own


def first_refusal(log: str) -> dict[str, object] | None:
    """The first call that the driver refused, and the reason it gave on the line before."""
    before = None
    for line in log.splitlines():
        text = LOG_PREFIX.sub("", line)
        match = RETURNING.search(text)
        if match and int(match[1]) in REFUSALS:
            return {"code": int(match[1]), "name": match[2], "api": match[3], "reason": before}
        before = None if match else text
    return None


def run(path: pathlib.Path) -> dict[str, object]:
    """Run one program and say what happened."""
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder, "cuda.log")
        environment = os.environ | {"CUDA_LOG_FILE": str(log)}
        try:
            done = subprocess.run(
                [sys.executable, str(path)], capture_output=True, text=True, timeout=TIMEOUT_SECONDS, env=environment
            )
            code, out, err = done.returncode, done.stdout, done.stderr
        except subprocess.TimeoutExpired:
            return {"case": path.stem, "exit": "hang"}
        text = log.read_text() if log.exists() else ""
    kind, message, own = first_traceback(err, path.stem)
    return {
        "case": path.stem,
        "exit": "ok" if code == 0 else "error" if code > 0 else f"signal {-code}",
        "error_type": kind,
        "error": message,
        "script_lines": own,
        "first_refused_call": first_refusal(text),
        "stdout": out.strip(),
        "refused_calls": [
            f"{m[3]} {m[1]}" for m in map(RETURNING.search, text.splitlines()) if m and int(m[1]) in REFUSALS
        ],
    }


def versions() -> dict[str, str]:
    """What the results were recorded on."""
    query = "import torch,sys;print(torch.__version__,torch.cuda.get_device_name(),sys.version.split()[0],sep='\\n')"
    torch_version, gpu, python = subprocess.check_output([sys.executable, "-c", query], text=True).splitlines()
    driver = subprocess.check_output(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"], text=True)
    return {"torch": torch_version, "gpu": gpu, "python": python, "driver": driver.split()[0]}


def main() -> None:
    out, *names = sys.argv[1:]
    paths = sorted(p for p in (HERE / "cases").glob("*.py") if not names or p.stem in names)
    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        results = list(pool.map(run, paths))
    pathlib.Path(out).write_text(json.dumps(results, indent=1) + "\n")
    print(f"{len(results)} programs recorded: {versions()}")


if __name__ == "__main__":
    main()
