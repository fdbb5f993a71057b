"""What `cgsan perf` costs a program: the same work with and without it, in turns of some milliseconds, as in `../cost.py`.

    python cost.py CGSAN SECONDS

A pair of processes takes turns for so many seconds, in which the program under `cgsan perf` is looked at once. The ratio is that of all
that both took, the looks included; `later` is that of the turns after them.
"""

import json
import os
import pathlib
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from cost import Server, few_cores

WORK = (
    ("launch", 2_000),
    ("step", 20),
    ("replay_of_one", 2_000),
    ("replay", 1_000),
    ("replay_of_hundred", 100),
)
# The looks take some five seconds, and begin one second after the first launch.
AFTER = 1
LOOKED = 8


def measure(prefix, mode, seconds):
    """Ratios by work: of all turns, and of the later ones."""
    plain, other = Server([], "plain"), Server(prefix, mode)
    try:
        for server in (plain, other):
            server.answer()
        turns = []
        began = time.monotonic()
        while time.monotonic() - began < seconds:
            for what, times in WORK:
                command = f"{what} {times}"
                order = (plain, other) if len(turns) % 2 == 0 else (other, plain)
                taken = {server: float(server.ask(command)) for server in order}
                turns.append((what, time.monotonic() - began, taken[plain], taken[other]))
    finally:
        plain.close()
        other.close()
    result = {}
    for what, _ in WORK:
        own = [turn for turn in turns if turn[0] == what]
        later = [turn for turn in own if turn[1] > LOOKED]
        result[what] = {
            "plain_us": statistics.median(turn[2] for turn in own),
            "turns": len(own),
            "all": sum(turn[3] for turn in own) / sum(turn[2] for turn in own),
            "later": statistics.median(turn[3] / turn[2] for turn in later) if later else None,
        }
    return result


def main():
    cgsan, seconds = sys.argv[1], float(sys.argv[2])
    watch = [cgsan, "perf", "--after", str(AFTER), "--output", os.devnull, "--"]
    with few_cores():
        print(json.dumps({"cgsan perf": measure(watch, "plain", seconds)}), flush=True)
        print(json.dumps({"cgsan perf": measure(watch, "plain", seconds)}), flush=True)
        # How much two processes of the same kind differ.
        print(json.dumps({"nothing": measure([], "plain", seconds)}), flush=True)
        print(json.dumps({"torch.profiler": measure([], "profiler", seconds / 4)}), flush=True)


main()
