"""Runs the program of every fix in the catalogue.

    python fixes.py [COMMAND...]

COMMAND runs a program whose path is appended to it; without one, this interpreter does. Prints a line for each
program that fails, and exits with 1 if one does. The interpreter needs PyTorch, and a GPU or a command that stands in
for one.
"""

import pathlib
import subprocess
import sys
import tempfile
import tomllib

CATALOGUE = pathlib.Path(__file__).resolve().parents[3] / "catalogue"
LONGEST_S = 300


def programs():
    for file in sorted(CATALOGUE.glob("CG*.toml")):
        entry = tomllib.loads(file.read_text())
        for number, fix in enumerate(entry["fixes"], start=1):
            yield f"{entry['id']}, fix {number} ({fix['en']['title']})", fix["code"]


def run(command, code):
    with tempfile.TemporaryDirectory() as directory:
        program = pathlib.Path(directory) / "fix.py"
        program.write_text(code)
        result = subprocess.run(
            [*command, str(program)], capture_output=True, text=True, timeout=LONGEST_S
        )
    return result


def main():
    command = sys.argv[1:] or [sys.executable]
    failed = 0
    total = 0
    for name, code in programs():
        total += 1
        result = run(command, code)
        if result.returncode != 0:
            failed += 1
            print(f"{name}: exit {result.returncode}\n{result.stderr[-2000:]}", flush=True)
    print(f"{total - failed} of {total} fixes run")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
