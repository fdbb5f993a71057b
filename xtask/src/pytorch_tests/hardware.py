"""Runs PyTorch's test_cuda.py on this machine's GPU without cgsan, each test in a process of its own, and prints how each ended, as JSON
lines.

python hardware.py FOLDER-WITH-TEST_CUDA.PY > h200.jsonl, with pytest and the plugin (as cgsan_pytorch_tests.py) on PYTHONPATH.
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

PYTEST = [sys.executable, "-m", "pytest", "-q", "--tb=short", "--noconftest"]
PYTEST += ["-p", "no:cacheprovider", "-p", "cgsan_pytorch_tests"]


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
            pytest(folder, outcome, f"test_cuda.py::{test}")
            with open(outcome) as file:
                return json.load(file)
        except (subprocess.TimeoutExpired, FileNotFoundError):
            return {"outcome": "died", "line": None, "message": None}


def main():
    folder = sys.argv[1]
    listed = pytest(folder, os.devnull, "--collect-only", "-k", "not cpu", "test_cuda.py").stdout
    prefix = "test_cuda.py::"
    tests = [line.removeprefix(prefix) for line in listed.splitlines() if line.startswith(prefix)]
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        running = {pool.submit(ended, folder, test): test for test in tests}
        for future in concurrent.futures.as_completed(running):
            line = {"test": running[future], "outcome": future.result()["outcome"]}
            print(json.dumps(line), flush=True)


main()
