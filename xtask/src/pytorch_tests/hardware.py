"""Runs tests of PyTorch on this machine's GPU without cgsan, and prints how each ended, as JSON lines: those of `test_cuda.py` in processes
of their own, the others several in one, and those that failed so again by themselves.

python hardware.py FOLDER-WITH-TESTS [FILE ...] > h200.jsonl, with pytest and the plugin (as cgsan_pytorch_tests.py) on PYTHONPATH.
"""

import concurrent.futures
import contextlib
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
# How many tests of a file share a process.
TOGETHER = {"test_cuda.py": 1, "inductor/test_cudagraph_trees.py": 6}

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
        timeout=LONGEST * max(len(arguments), 1),
    )


def ended(folder, tests):
    """How tests ended, by their names."""
    found = {}
    with tempfile.TemporaryDirectory() as temporary:
        outcomes = os.path.join(temporary, "outcomes")
        with contextlib.suppress(subprocess.TimeoutExpired):
            pytest(folder, outcomes, *tests)
        with contextlib.suppress(FileNotFoundError), open(outcomes) as file:
            found = {it["test"]: it["outcome"] for it in map(json.loads, file)}
    if len(tests) == 1:
        return {tests[0]: found.get(tests[0], "died")}
    failed = [it for it in tests if found.get(it, "failed") == "failed"]
    for test in failed:
        found.update(ended(folder, [test]))
    return found


def collected(folder, file):
    """The tests of a file, as pytest names them."""
    listed = pytest(folder, os.devnull, "--collect-only", "-k", FILES[file], file).stdout
    return [line for line in listed.splitlines() if line.startswith(f"{file}::")]


def parts(folder, file):
    """The tests of a file, by processes."""
    tests, count = collected(folder, file), TOGETHER[file]
    return [tests[first : first + count] for first in range(0, len(tests), count)]


def main():
    folder, *files = sys.argv[1:]
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        every = [part for file in files or FILES for part in parts(folder, file)]
        for future in concurrent.futures.as_completed(
            pool.submit(ended, folder, part) for part in every
        ):
            for name, outcome in future.result().items():
                print(json.dumps({"test": name.split("::", 1)[1], "outcome": outcome}), flush=True)


main()
