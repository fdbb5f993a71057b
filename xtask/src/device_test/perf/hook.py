"""What cgsan's function in front of `cudaGraphLaunch` costs a replay, in one process: two processes differ by more than that.

    cgsan perf --after 0.5 --output /dev/null -- python hook.py

Compares it with the function that it stands for, while the clock runs and when `cgsan perf` has looked. The graph has one empty node,
so that a launch takes as little as it can. Prints nanoseconds a launch: the least of all turns.
"""

import ctypes
import os
import time

import torch

LAUNCHES = 5_000
TURNS = 60
LONGEST = 15


def runtime():
    """The CUDA runtime that PyTorch has loaded."""
    with open("/proc/self/maps") as maps:
        return ctypes.CDLL(next(line.split()[-1] for line in maps if "libcudart" in line))


def empty_graph(runtime):
    """A graph of one node that does nothing, ready to launch."""
    graph, node, executable = (ctypes.c_void_p() for _ in range(3))
    calls = (
        runtime.cudaGraphCreate(ctypes.byref(graph), 0),
        runtime.cudaGraphAddEmptyNode(ctypes.byref(node), graph, None, ctypes.c_size_t(0)),
        runtime.cudaGraphInstantiate(ctypes.byref(executable), graph, ctypes.c_ulonglong(0)),
    )
    assert not any(calls), calls
    return executable


def nanoseconds(launch, executable, stream):
    """What a launch takes."""
    began = time.perf_counter_ns()
    for _ in range(LAUNCHES):
        launch(executable, stream)
    taken = time.perf_counter_ns() - began
    torch.cuda.synchronize()
    return taken / LAUNCHES


def compare(real, hooked, executable, stream):
    """Prints both, in turns."""
    launches = {"real": real, "hooked": hooked}
    taken = {"real": [], "hooked": []}
    for turn in range(TURNS):
        for name in sorted(launches, reverse=turn % 2 == 0):
            taken[name].append(nanoseconds(launches[name], executable, stream))
    print(f"{phase()}: real {min(taken['real']):.0f} ns, hooked {min(taken['hooked']):.0f} ns")


def phase():
    """What `cgsan perf` does just now. Its agent is loaded with PyTorch."""
    import cgsan_agent.perf

    return cgsan_agent.perf._observer._seen["phase"]


def main():
    torch.zeros(8, device="cuda").add_(1)
    real, hooked = runtime(), ctypes.CDLL(os.environ["CGSAN_LIBRARY"])
    stream = ctypes.c_void_p(torch.cuda.Stream().cuda_stream)
    executable = empty_graph(real)
    compared = (real.cudaGraphLaunch, hooked.cudaGraphLaunch, executable, stream)
    compare(*compared)
    end = time.monotonic() + LONGEST
    while phase() != "over" and time.monotonic() < end:
        nanoseconds(*compared[1:])
    for _ in range(2):
        compare(*compared)


main()
