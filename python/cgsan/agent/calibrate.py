"""Measures on this machine's GPU what a graph makes of work that a profiler has timed.

    python calibrate.py RESULT

The result is a file of JSON: nanoseconds, and of what depends on the kernel a range. Small graphs of known kernels are replayed, and
the same kernels are profiled as a program launches them.

| key | meaning |
|---|---|
| `node_gap_ns` | what a kernel takes in a graph beyond the duration that the profiler gives it: lowest, median, highest of several kernels |
| `replay_gap_ns` | what a replay takes beyond its nodes, where one follows the other |
| `replay_host_ns`, `replay_host_ns_per_node` | what the host takes to launch a graph |
| `waited_replay_ns` | what a replay takes beyond its nodes, where the host waits for each |
| `launch_host_ns` | what the host takes for an operator with one kernel |
| `profiler_launch_ns` | what the profiler adds to that |
"""

import json
import os
import statistics
import sys
import time

import torch

SMALL, LARGE = 100, 600
ROUNDS = 7


def kernels():
    """Operators of one kernel, from tiny to middling."""
    tiny = torch.zeros(8, device="cuda")
    vector = torch.zeros(1 << 18, device="cuda")
    row = torch.zeros(64, 1024, device="cuda")
    matrix = torch.zeros(256, 256, device="cuda")
    out = torch.empty_like(matrix)
    image = torch.zeros(1 << 22, device="cuda")
    return {
        "tiny": lambda: tiny.add_(1),
        "vector": lambda: vector.mul_(1.5),
        "softmax": lambda: torch.softmax(row, 1, out=row),
        "matrix": lambda: torch.mm(matrix, matrix, out=out),
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


def median_ns(measure):
    return statistics.median(measure() for _ in range(ROUNDS)) * 1e9


def replays_ns(graph, times):
    """Nanoseconds of one replay, where replays follow each other."""

    def replay():
        for _ in range(times):
            graph.replay()

    return median_ns(lambda: seconds(replay)) / times


def waited_replay_ns(graph):
    return median_ns(lambda: seconds(graph.replay))


def host_ns(work, times):
    """Nanoseconds of the host for each call, while the GPU has not so much to do that the host waits."""

    def once():
        torch.cuda.synchronize()
        began = time.perf_counter()
        for _ in range(times):
            work()
        return (time.perf_counter() - began) / times

    return median_ns(once)


def profiled(work):
    """Median duration of the kernel as the profiler has it, and nanoseconds of the host for a call meanwhile."""
    profile = torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA])
    with profile:
        work()
        torch.cuda.synchronize()
        host = host_ns(work, 300)
    durations = [
        event.device_time_total
        for event in profile.events()
        if event.device_type == torch.autograd.DeviceType.CUDA
    ]
    return statistics.median(durations) * 1e3, host


def main():
    torch.backends.cuda.matmul.allow_tf32 = False
    works = kernels()
    for work in works.values():
        for _ in range(50):
            work()
    tiny = works["tiny"]
    graphs = {name: (captured(work, SMALL), captured(work, LARGE)) for name, work in works.items()}
    one = captured(tiny, 1)

    nodes, fixed = {}, []
    for name, (small, large) in graphs.items():
        for graph in (small, large):
            seconds(graph.replay)
        at_small, at_large = replays_ns(small, 20), replays_ns(large, 5)
        nodes[name] = (at_large - at_small) / (LARGE - SMALL)
        fixed.append(at_small - SMALL * nodes[name])
    small, large = graphs["tiny"]
    host_of_one, host_of_large = host_ns(one.replay, 20), host_ns(large.replay, 3)
    waited = waited_replay_ns(small) - SMALL * nodes["tiny"]
    launch = host_ns(tiny, 300)

    # Last: the profiler leaves something behind that slows launches down.
    gaps, launch_profiled = {}, 0.0
    durations = {}
    for name, work in works.items():
        durations[name], host = profiled(work)
        gaps[name] = nodes[name] - durations[name]
        if name == "tiny":
            launch_profiled = host
    ordered = sorted(gaps.values())
    result = {
        "device": torch.cuda.get_device_name(),
        "node_gap_ns": [ordered[0], statistics.median(ordered), ordered[-1]],
        "replay_gap_ns": sorted(fixed)[len(fixed) // 2],
        "replay_host_ns": host_of_one,
        "replay_host_ns_per_node": max((host_of_large - host_of_one) / (LARGE - 1), 0.0),
        "waited_replay_ns": waited,
        "launch_host_ns": launch,
        "profiler_launch_ns": max(launch_profiled - launch, 0.0),
        "kernels": {
            name: {"node_ns": nodes[name], "profiled_ns": durations[name]} for name in works
        },
    }
    path = sys.argv[1]
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump(result, file)
    os.replace(path + ".new", path)


main()
