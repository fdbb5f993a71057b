"""What attaching costs a training, and what it says beside another tool: the figures of docs/measurements/attach.md.

measure.py cost CGSAN PYTHON [ATTACHES]
measure.py beside CGSAN PYTHON PY_SPY PROGRAM...

With `CGSAN_MEASURE_GPU=real` the programs run on the machine's own GPUs, and cgsan has no part in starting them.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent


def start(cgsan, python, program, *arguments):
    """A program that nothing watches for standing still: on the virtual GPU, or by itself on a real one."""
    virtual = [
        cgsan,
        "run",
        "--virtual",
        "--gpus",
        "2",
        "--hang-timeout",
        "0",
        "--output",
        "/dev/null",
        "--",
    ]
    command = [] if os.environ.get("CGSAN_MEASURE_GPU") == "real" else virtual
    command = [*command, python, str(program), *arguments]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def below(pid):
    """The processes that one has started, and those that they have."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    return [it for child in children for it in (int(child), *below(int(child)))]


def with_pytorch(pid):
    """The processes of a program that have loaded PyTorch."""
    found = []
    for it in [pid, *below(pid)]:
        try:
            if "libtorch_python" in Path(f"/proc/{it}/maps").read_text():
                found.append(it)
        except OSError:
            continue
    return found


def train(cgsan, python, steps, attaches=0):
    """Losses and times of a training, and how long each attach took. With attaches, it ends after these."""
    with tempfile.TemporaryDirectory() as folder:
        result = f"{folder}/result.json"
        program = start(cgsan, python, HERE / "running/trains.py", str(steps), result)
        took = []
        while attaches and not with_pytorch(program.pid):
            time.sleep(0.1)
        if attaches:
            time.sleep(10)
        for _ in range(attaches):
            begun = time.perf_counter()
            look = [cgsan, "attach", str(with_pytorch(program.pid)[0]), "--for", "0.1"]
            subprocess.run(look, capture_output=True, check=True)
            took.append(time.perf_counter() - begun)
        if attaches:
            Path(f"{result}.end").touch()
        program.wait()
        with open(result) as file:
            return json.load(file), took


def said(times):
    """The median, the 99th percentile and the longest, in milliseconds."""
    ordered = sorted(times)
    late = ordered[int(len(ordered) * 0.99)]
    numbers = [1000 * it for it in (statistics.median(ordered), late, ordered[-1])]
    return " | ".join(f"{it:.1f}" for it in numbers)


def cost(cgsan, python, attaches=200):
    """A training that is attached to again and again, and then as many steps alone."""
    attached, took = train(cgsan, python, 10**9, attaches)
    steps = len(attached["times"])
    alone, _ = train(cgsan, python, steps)
    print(f"{steps} steps, {attaches} attaches")
    print("same losses:", alone["losses"] == attached["losses"])
    print("| | median | 99 % | longest |")
    print(f"| a step alone, ms | {said(alone['times'])} |")
    print(f"| a step while attached to, ms | {said(attached['times'])} |")
    print(f"| an attach, ms | {said(took)} |")


def beside(cgsan, python, py_spy, *programs):
    """What each tool says of programs that hang."""
    for path in programs:
        program = start(cgsan, python, path)
        time.sleep(25)
        pids = with_pytorch(program.pid)
        print("==", os.path.basename(path))
        look = [cgsan, "attach", *map(str, pids), "--for", "3"]
        text = subprocess.run(
            look, capture_output=True, text=True, env={**os.environ, "NO_COLOR": "1"}
        )
        print("-- cgsan attach", text.stdout + text.stderr, sep="\n")
        for pid in pids:
            dump = subprocess.run(
                [py_spy, "dump", "--pid", str(pid)], capture_output=True, text=True
            )
            print("-- py-spy dump", dump.stdout + dump.stderr, sep="\n")
        for pid in [*below(program.pid), program.pid]:
            subprocess.run(["kill", "-KILL", str(pid)], capture_output=True)
        program.wait()


if __name__ == "__main__":
    task, *arguments = sys.argv[1:]
    if task == "cost":
        cost(*arguments[:2], *map(int, arguments[2:]))
    else:
        beside(*arguments)
