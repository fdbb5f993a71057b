"""Measures how many branches of a graph a device runs at once, and what a copy of the input takes beside its replay.

Usage: python branches.py

Prints one line of JSON for each measurement. `CUDA_DEVICE_MAX_CONNECTIONS` is read when CUDA starts, so it starts itself again
for each value.
"""

import json
import os
import subprocess
import sys

import torch

CYCLES = 2_000_000
BRANCHES = [*range(2, 41), 48, 64]
CONNECTIONS = [None, "1", "8", "16", "32"]
REPEATS = 20
MEGABYTES = [1, 4, 16, 64]


def streams(count):
    """So many streams: PyTorch has 32 of each priority."""
    return [torch.cuda.Stream(priority=-(place // 32)) for place in range(count)]


def in_branches(branches):
    main = torch.cuda.current_stream()
    for stream in branches:
        stream.wait_stream(main)
        with torch.cuda.stream(stream):
            torch.cuda._sleep(CYCLES)
    for stream in branches:
        main.wait_stream(stream)


def milliseconds(work):
    """The median time of one call."""
    times = []
    for _ in range(REPEATS):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        work()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end))
    return sorted(times)[REPEATS // 2]


def captured(work):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        work()
    graph.replay()
    return graph


def of_branches(count):
    """What so many branches take: replayed, and eagerly."""
    branches = streams(count)
    graph = captured(lambda: in_branches(branches))
    return milliseconds(graph.replay), milliseconds(lambda: in_branches(branches))


def rounds():
    """In how many rounds so many kernels run, by the time that one takes alone."""
    connections = os.environ.get("CUDA_DEVICE_MAX_CONNECTIONS")
    alone = of_branches(1)
    for count in BRANCHES:
        replayed, eager = of_branches(count)
        line = {
            "connections": connections,
            "branches": count,
            "rounds_replayed": round(replayed / alone[0], 2),
            "rounds_eager": round(eager / alone[1], 2),
        }
        print(json.dumps(line), flush=True)


def of_copy(megabytes):
    """What a replay takes that adds its input up, with and without the copy that fills it."""
    batch = torch.ones(megabytes << 18, device="cuda")
    static = torch.zeros_like(batch)
    graph = captured(lambda: static.sum())

    def fifty(with_copy):
        for _ in range(50):
            if with_copy:
                static.copy_(batch)
            graph.replay()

    return {
        "megabytes": megabytes,
        "microseconds_with_copy": round(milliseconds(lambda: fifty(True)) * 20, 2),
        "microseconds_without": round(milliseconds(lambda: fifty(False)) * 20, 2),
    }


if __name__ == "__main__":
    if sys.argv[1:] == ["branches"]:
        rounds()
    else:
        for size in MEGABYTES:
            print(json.dumps(of_copy(size)), flush=True)
        for value in CONNECTIONS:
            environment = {
                k: v for k, v in os.environ.items() if k != "CUDA_DEVICE_MAX_CONNECTIONS"
            }
            if value:
                environment["CUDA_DEVICE_MAX_CONNECTIONS"] = value
            subprocess.run([sys.executable, __file__, "branches"], check=True, env=environment)
