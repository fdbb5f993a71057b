"""Runs tests of PyTorch on this machine's GPU without cgsan, each in a process of its own, and prints how each ended, as JSON lines.

python hardware.py FOLDER-WITH-TESTS [FILE ...] > h200.jsonl, with pytest and the plugin (as cgsan_pytorch_tests.py) on PYTHONPATH.
"""

import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

# How many tests run at once, and how long one may take, in seconds.
JOBS = 10
LONGEST = 90
# The files, and which of their tests are meant, as pytest's -k has it.
FILES = {"test_cuda.py": "not cpu", "inductor/test_cudagraph_trees.py": "CudaGraphTreeTests"}

PYTEST = [sys.executable, "-m", "pytest", "-q", "--tb=short", "--noconftest"]
PYTEST += ["-p", "no:cacheprovider", "-p", "cgsan_pytorch_tests", "--rootdir", "."]


def pytest(folder, outcome, *arguments):
    environment = dict(
        os.environ, PYTORCH_TESTS_OUTCOME=outcome, PYTEST_DISABLE_PLUGIN_AUTOLOAD="1"
    )
    return subprocess.run(
        [*PYTEST, *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=LONGEST,
    )


def ended(folder, test):
    with tempfile.TemporaryDirectory() as temporary:
        outcome = os.path.join(temporary, "outcome")
        try:
            pytest(folder, outcome, test)
            with open(outcome) as file:
                return json.load(file)
        except (subprocess.TimeoutExpired, FileNotFoundError):
            return {"outcome": "died", "line": None, "message": None}


def collected(folder, file):
    """The tests of a file, as pytest names them."""
    listed = pytest(folder, os.devnull, "--collect-only", "-k", FILES[file], file).stdout
    return [line for line in listed.splitlines() if line.startswith(f"{file}::")]


def main():
    folder, *files = sys.argv[1:]
    tests = [test for file in files or FILES for test in collected(folder, file)]
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        running = {pool.submit(ended, folder, test): test for test in tests}
        for future in concurrent.futures.as_completed(running):
            name = running[future].split("::", 1)[1]
            line = {"test": name, "outcome": future.result()["outcome"]}
            print(json.dumps(line), flush=True)


main()
