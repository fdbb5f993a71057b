"""What cgsan costs: the same work with and without it, side by side.

Two runs of one program differ by more than what is to be measured. So a pair of processes, one under cgsan, takes turns of
some 20 ms on the same cores, and yields one ratio; of the ratios of many pairs, the median and its 95 % confidence interval
decide whether a goal is met. Each pair is new: where a process happens to have its code and its memory makes a difference of
up to 5 % for a launch and of 2 % for the GPU's own work, and processes that are forked from one another share that.
"""

import contextlib
import math
import os
import pathlib
import select
import statistics
import subprocess
import sys
import time

TIMING = str(pathlib.Path(__file__).resolve().parent / "timing.py")
START = "import torch; torch.zeros(8, device='cuda').add_(1); torch.cuda.synchronize()"
# A process that takes longer to answer hangs.
LIMIT_SECONDS = 60
# How many cores the processes of a pair share.
CORES = 4
# The other tools are there to compare with, and need no more than a few pairs.
OTHERS = ("profiler", "callbacks")
OTHER_PAIRS = 2

# What a pair measures: how many times a turn, how many turns, and whether all turns count or the middle one. Many launches
# before the later ones: operators are recorded in windows, and the first one is long.
TURNS = [
    ("launch", 2_000, 50, "all"),
    ("step", 20, 15, "middle"),
    ("settling_launch", 30_000, 1, "all"),
    ("later_launch", 2_000, 25, "middle"),
    ("later_step", 20, 25, "middle"),
    ("later_kernel", 2_000, 25, "middle"),
    ("replay", 2_000, 25, "all"),
    ("replay_of_one", 2_000, 25, "all"),
    ("later_replay_of_one", 2_000, 25, "middle"),
    ("later_replay", 2_000, 9, "middle"),
    ("replay_of_hundred", 200, 15, "all"),
    ("replay_of_thousand", 20, 15, "all"),
    ("capture_in_place", 1_000, 9, "middle"),
    ("capture_allocating", 1_000, 9, "middle"),
    ("capture_kernels", 1_000, 9, "middle"),
    ("small_capture", 10, 15, "middle"),
]

ROWS = [
    ("launch", "launch in an eager loop, the first 100,000, µs", None),
    ("step", "eager training step, the first ones, µs", None),
    ("later_launch", "launch in an eager loop, later, µs", 1.03),
    ("later_step", "eager training step, later, µs", 1.03),
    ("later_kernel", "launch of a kernel that is no operator, later, µs", 1.03),
    ("replay_of_one", "replay of a graph of one node, 50,000, µs", 1.02),
    ("later_replay_of_one", "the same, later, between the replays that are looked at, µs", 1.02),
    ("replay", "replay of a graph of 10 nodes, the first 50,000, µs", 1.02),
    ("later_replay", "the same, later, between the replays that are looked at, µs", 1.02),
    ("replay_of_hundred", "replay of a graph of 100 nodes, µs", 1.02),
    ("replay_of_thousand", "replay of a graph of 1,000 nodes, µs", 1.02),
    ("capture_in_place", "capture of 1,000 operators, µs an operator", 2.0),
    ("capture_allocating", "the same with an allocation each, µs an operator", 2.0),
    ("capture_kernels", "capture of 1,000 kernels that are no operators, µs a kernel", 2.0),
    ("small_capture", "capture of 10 nodes, µs", None),
    ("start", "`import torch` and the first kernel, s", 1.1),
]


class Failure(Exception):
    """A process did not answer as it should."""


class Server:
    """A process of `timing.py`."""

    def __init__(self, prefix, mode):
        self._process = subprocess.Popen(
            [*prefix, sys.executable, TIMING, mode],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            bufsize=1,
        )

    def ask(self, line):
        """The answer to a command; an error where there is none, or none in time."""
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        return self.answer()

    def answer(self):
        """The next line."""
        ready, _, _ = select.select([self._process.stdout], [], [], LIMIT_SECONDS)
        answer = self._process.stdout.readline().strip() if ready else ""
        if not answer or answer.startswith("failed"):
            raise Failure(answer or "no answer")
        return answer

    def close(self):
        self._process.stdin.close()
        try:
            self._process.wait(LIMIT_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()


def watch(cgsan):
    """The words that put a program under cgsan."""
    return [cgsan, "run", "--gpu", "--output", os.devnull, "--"]


@contextlib.contextmanager
def few_cores():
    """Keeps this process and those that it starts on a few cores."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(before)[:CORES])
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def measure(cgsan, pair_seconds, start_seconds):
    """Samples by what was measured: of each, pairs of the plain number and that under cgsan; and of the other tools."""
    measured = {"cgsan": {}}
    if pair_seconds:
        with few_cores():
            for mode in OTHERS:
                measured[mode] = measure_pairs([], mode, lambda done: done >= OTHER_PAIRS)
            end = time.monotonic() + pair_seconds
            measured["cgsan"] = measure_pairs(
                watch(cgsan), "plain", lambda _: time.monotonic() >= end
            )
    if start_seconds:
        measured["cgsan"]["start"] = measure_starts(cgsan, start_seconds)
    return measured


def measure_pairs(prefix, mode, is_enough):
    """Pairs of the plain number and that with a prefix or in a mode, by what was measured."""
    # A profiler would keep all of those in memory.
    turns = [turn for turn in TURNS if mode == "plain" or not turn[0].startswith("settling_")]
    pairs = {}
    done = 0
    while not is_enough(done):
        plain, other = Server([], "plain"), Server(prefix, mode)
        try:
            for key, pair in measure_pair(turns, plain, other).items():
                pairs.setdefault(key, []).append(pair)
        except Failure as failure:
            print(f"{' '.join(prefix)} {mode}:", failure)
            break
        finally:
            plain.close()
            other.close()
        done += 1
    return pairs


def measure_pair(turns_of, *pair):
    """What one pair of processes takes, by what was measured."""
    for server in pair:
        server.answer()
    measured = {}
    for name, times, turns, which in turns_of:
        what = name.removeprefix("later_").removeprefix("settling_").removeprefix("small_")
        command = f"{what} {times}"
        taken = ([], [])
        for turn in range(turns):
            for index in (0, 1) if turn % 2 == 0 else (1, 0):
                taken[index].append(float(pair[index].ask(command)))
        summed = statistics.fmean if which == "all" else statistics.median
        measured[name] = [summed(side) for side in taken]
    return measured


def measure_starts(cgsan, seconds):
    """Seconds that whole programs take, in pairs."""
    commands = ([sys.executable, "-c", START], [*watch(cgsan), sys.executable, "-c", START])
    for command in commands:  # So that no measurement reads a file from the disk.
        subprocess.run(command, capture_output=True)
    pairs = []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pair = [0, 0]
        for index in (0, 1) if len(pairs) % 2 == 0 else (1, 0):
            begun = time.perf_counter()
            subprocess.run(commands[index], capture_output=True)
            pair[index] = time.perf_counter() - begun
        pairs.append(pair)
    return pairs


def interval(values):
    """The 95 % confidence interval of the median, from the order of the values alone; None where they are too few."""
    count = len(values)
    # Of so many throws of a coin, how likely are at most `below` heads?
    below, chance = -1, 0.0
    while (chance := chance + math.comb(count, below + 1) / 2**count) <= 0.025:
        below += 1
    ordered = sorted(values)
    return (ordered[below], ordered[count - 1 - below]) if below >= 0 else None


def verdict(bounds, goal):
    """Whether a goal is met, as far as the interval decides it."""
    if goal is None:
        return ""
    if bounds is None or bounds[0] <= goal < bounds[1]:
        return "undecided"
    return "met" if bounds[1] <= goal else "missed"


def table(measured):
    """The measurements, a line each."""
    lines = [
        "| | plain | cgsan | ratio (95 %), pairs | goal | | `torch.profiler` | all callbacks |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for key, text, goal in ROWS:
        pairs = measured["cgsan"].get(key)
        if not pairs:
            continue
        plain, cgsan = (statistics.median(side) for side in zip(*pairs, strict=True))
        ratios = [with_it / without for without, with_it in pairs]
        bounds = interval(ratios)
        shown = f" ({bounds[0]:.3f} to {bounds[1]:.3f})" if bounds else ""
        cells = [
            f"{plain:.2f}",
            f"{cgsan:.2f}",
            f"{statistics.median(ratios):.3f} ×{shown}, {len(pairs)}",
            f"{goal:.2f} ×" if goal else "",
            verdict(bounds, goal),
        ]
        for other in OTHERS:
            of_other = measured.get(other, {}).get(key)
            ratio = of_other and statistics.median(b / a for a, b in of_other)
            cells.append(f"{ratio:.2f} ×" if ratio else "")
        lines.append(f"| {text} | {' | '.join(cells)} |")
    return "\n".join(lines)
