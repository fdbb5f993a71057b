"""What a program that runs for weeks costs under cgsan, in tables of docs/measurements/weeks.md.

    python measure.py CGSAN [--steps STEPS] [--capture-every STEPS] [--limit SIZE] [--plain] [OPTIONS OF CGSAN RUN]...

The interpreter that runs this runs the program as well, so it needs PyTorch. `--plain` also runs it without cgsan, which takes a GPU.
"""

import argparse
import contextlib
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

PROGRAM = Path(__file__).with_name("steps.py")


class Folder:
    """The sizes of a folder's files and the memory of a process, looked at while that runs."""

    def __init__(self, path, process):
        self.path = path
        self.process = process
        self.most = 0
        self.memory = 0

    def look(self):
        self.most = max(self.most, self.bytes())
        try:
            status = Path(f"/proc/{self.process}/status").read_text(encoding="ascii")
        except OSError:
            return
        for line in status.splitlines():
            if line.startswith("VmHWM:"):
                self.memory = int(line.split()[1]) * 1024

    def bytes(self):
        total = 0
        for entry in os.scandir(self.path):
            with contextlib.suppress(FileNotFoundError):
                total += entry.stat().st_size
        return total

    def files(self):
        return len(os.listdir(self.path))


def run(words, traces):
    """Runs the program and gives what it printed at each look, with the size of the traces then; and the folder."""
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    folder = Folder(traces, process.pid)
    over = threading.Event()

    def look():
        while not over.wait(0.05):
            folder.look()

    watching = threading.Thread(target=look)
    watching.start()
    said = []
    errors = threading.Thread(target=lambda: said.append(process.stderr.read()))
    errors.start()
    looks = []
    for line in process.stdout:
        step, seconds, resident = line.split()
        looks.append((int(step), float(seconds), float(resident), folder.bytes()))
    process.wait()
    over.set()
    watching.join()
    errors.join()
    if process.returncode != 0:
        sys.exit(said[0])
    return looks, folder


def megabytes(count):
    return f"{count / 1e6:.1f}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cgsan")
    parser.add_argument("--steps", type=int, default=1_000_000)
    parser.add_argument("--capture-every", type=int, default=10_000)
    parser.add_argument("--limit", default="64MB")
    parser.add_argument("--plain", action="store_true")
    arguments, options = parser.parse_known_args()
    program = [
        sys.executable,
        str(PROGRAM),
        str(arguments.steps),
        str(arguments.capture_every),
        "1",
    ]
    kinds = [("run", []), ("watch", ["--trace-limit", arguments.limit])]
    commands = {
        f"`cgsan {' '.join([kind, *limit])}`": [arguments.cgsan, kind, *limit, *options]
        for kind, limit in kinds
    }
    rows = {}
    if arguments.plain:
        with tempfile.TemporaryDirectory() as traces:
            rows["without cgsan"] = run(program, traces)
    for name, words in commands.items():
        with tempfile.TemporaryDirectory() as traces:
            looks, folder = run([*words, "--save", traces, "--", *program], traces)
            rows[name] = looks, folder
            rows[name] += (folder.files(),)
    print(
        "| | seconds | µs a step | MB of the program, first to last | MB of traces, at most | files | MB of `cgsan`, at most |"
    )
    print("|---|---|---|---|---|---|---|")
    for name, (looks, folder, *files) in rows.items():
        steps, seconds, last, _ = looks[-1]
        first = looks[0][2]
        cells = [
            name,
            f"{seconds:.0f}",
            f"{seconds / steps * 1e6:.0f}",
            f"{first:.1f} to {last:.1f}",
        ]
        if files:
            cells += [megabytes(folder.most), str(files[0]), megabytes(folder.memory)]
        else:
            cells += ["", "", ""]
        print("|", " | ".join(cells), "|")
    print()
    named = [name for name in rows if name != "without cgsan"]
    print("| steps |", " | ".join(f"MB of traces, {name}" for name in named), "|")
    print("|---" * (len(named) + 1) + "|")
    for at, (steps, *_) in enumerate(rows[named[0]][0]):
        cells = [megabytes(rows[name][0][at][3]) for name in named]
        print("|", " | ".join([f"{steps:,}", *cells]), "|")


if __name__ == "__main__":
    main()
