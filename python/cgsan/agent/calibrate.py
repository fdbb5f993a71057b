"""Measures on this machine's GPU what a graph makes of work that a profiler has timed.

    python calibrate.py RESULT

The result is a file of JSON: the name of the device, and ranges in nanoseconds. Small graphs of known kernels are replayed, and the
same kernels are profiled as a program launches them.

| key | meaning |
|---|---|
| `node_gap_ns` | what a kernel takes in a graph beyond the duration that the profiler gives it: the least and the most of several kernels |
| `replay_gap_ns` | what a replay takes beyond its nodes, where one follows the other |
| `replay_host_ns`, `replay_host_ns_per_node` | what the host takes to launch a graph |
| `profiler_launch_ns` | what the profiler adds to a launch |

Other ranges are the quartiles of many rounds, or span several kernels.
"""

import json
import os
import statistics
import sys
import time

import torch

SMALL, LARGE = 100, 600
ROUNDS = 11


def kernels():
    """Operators of one or two kernels, from tiny to middling."""
    tiny = torch.zeros(8, device="cuda")
    vector = torch.zeros(1 << 18, device="cuda")
    row = torch.zeros(64, 1024, device="cuda")
    matrix = torch.zeros(256, 256, device="cuda")
    product = torch.empty_like(matrix)
    half = torch.zeros(64, 1024, device="cuda", dtype=torch.float16)
    weight = torch.zeros(1024, 1024, device="cuda", dtype=torch.float16)
    image = torch.zeros(1 << 22, device="cuda")
    return {
        "tiny": lambda: tiny.add_(1),
        "vector": lambda: vector.mul_(1.5),
        "softmax": lambda: torch.softmax(row, 1, out=row),
        "matrix": lambda: torch.mm(matrix, matrix, out=product),
        "half": lambda: torch.mm(half, weight, out=half),
        "large": lambda: image.add_(1),
    }


def captured(work, times):
    """A graph of so many nodes."""
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(times):
            work()
    return graph


def seconds(work):
    torch.cuda.synchronize()
    began = time.perf_counter()
    work()
    torch.cuda.synchronize()
    return time.perf_counter() - began


def rounds_ns(measure):
    """What a measure gives in many rounds, in nanoseconds."""
    return sorted(measure() * 1e9 for _ in range(ROUNDS))


def quartiles(numbers):
    numbers = sorted(numbers)
    return [numbers[len(numbers) // 4], numbers[3 * len(numbers) // 4]]


def replay_ns(graph, times):
    """Nanoseconds of one replay, where replays follow each other."""

    def replay():
        for _ in range(times):
            graph.replay()

    return statistics.median(rounds_ns(lambda: seconds(replay))) / times


def host_ns(work, times):
    """Nanoseconds of the host for each call, while the GPU has not so much to do that the host waits: one number a round."""

    return rounds_ns(lambda: host_seconds(work, times))


def profiled(work):
    """How many kernels a call has, what they take together as the profiler has it, and what the call takes the host meanwhile."""
    profile = torch.profiler.profile(
        activities=[torch.profiler.ProfilerActivity.CUDA], acc_events=True
    )
    calls = 100
    with profile:
        torch.cuda.synchronize()
        host = rounds_ns(lambda: host_seconds(work, calls))
    durations = [
        event.device_time_total * 1e3
        for event in profile.events()
        if event.device_type == torch.autograd.DeviceType.CUDA
    ]
    calls *= ROUNDS
    return round(len(durations) / calls), sum(durations) / calls, statistics.median(host)


def host_seconds(work, times):
    torch.cuda.synchronize()
    began = time.perf_counter()
    for _ in range(times):
        work()
    return (time.perf_counter() - began) / times


def main():
    works = kernels()
    for work in works.values():
        for _ in range(50):
            work()
    graphs = {name: (captured(work, SMALL), captured(work, LARGE)) for name, work in works.items()}
    one = captured(works["tiny"], 1)
    for pair in graphs.values():
        for graph in pair:
            seconds(graph.replay)

    taken, fixed = {}, []
    for name, (small, large) in graphs.items():
        at_small, at_large = replay_ns(small, 20), replay_ns(large, 5)
        taken[name] = (at_large - at_small) / (LARGE - SMALL)
        fixed.append(at_small - SMALL * taken[name])
    large = graphs["tiny"][1]
    host_of_one, host_of_large = (
        quartiles(host_ns(one.replay, 20)),
        quartiles(host_ns(large.replay, 3)),
    )
    launch = quartiles(host_ns(works["tiny"], 100))

    # Last: the profiler leaves something behind that slows launches down.
    gaps, added = [], 0.0
    for name, work in works.items():
        kernels_of_call, duration, host = profiled(work)
        if kernels_of_call:
            gaps.append((taken[name] - duration) / kernels_of_call)
        if name == "tiny":
            added = host - sum(launch) / 2
    per_node = [
        max(of_large - of_one, 0.0) / (LARGE - 1)
        for of_one, of_large in zip(host_of_one, host_of_large, strict=True)
    ]
    result = {
        "device": torch.cuda.get_device_name(),
        "node_gap_ns": [min(gaps), max(gaps)],
        "replay_gap_ns": quartiles(fixed),
        "replay_host_ns": host_of_one,
        "replay_host_ns_per_node": per_node,
        "profiler_launch_ns": [0.5 * max(added, 0.0), 1.5 * max(added, 0.0)],
    }
    path = sys.argv[1]
    os.umask(0o077)
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump(result, file)
    os.replace(path + ".new", path)


main()
