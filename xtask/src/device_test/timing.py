"""What launching, replaying and capturing cost in one process; prints one JSON object.

Usage: python timing.py plain|profiler|callbacks

`plain` measures the program as it is, also under `cgsan run`; `profiler` inside `torch.profiler`, and `callbacks` with
CUPTI's callbacks on for every function of the driver, to a function that does nothing.
"""

import contextlib
import ctypes
import json
import sys
import time

import torch

LAUNCHES = 100_000
REPLAYS = 50_000
PARTS = 20
NODES = 1_000
CAPTURES = 7


def every_callback():
    """Subscribes to all functions of the driver, as the simplest of tools would."""
    with open("/proc/self/maps") as maps:
        path = next(line.split()[-1] for line in maps if "libcupti.so" in line)
    cupti = ctypes.CDLL(path)
    # It takes whatever it is called with, and returns at once.
    nothing = ctypes.cast(ctypes.CDLL(None).gnu_get_libc_version, ctypes.c_void_p)
    subscriber = ctypes.c_void_p()
    code = cupti.cuptiSubscribe(ctypes.byref(subscriber), nothing, None)
    driver_functions = 1
    code = code or cupti.cuptiEnableDomain(1, subscriber, driver_functions)
    if code:
        sys.exit(f"CUPTI refused: {code}")


def seconds(body):
    torch.cuda.synchronize()
    start = time.perf_counter()
    body()
    torch.cuda.synchronize()
    return time.perf_counter() - start


def launch(x, times):
    for _ in range(times):
        x.add_(1)


def replay(graph, times):
    for _ in range(times):
        graph.replay()


def capture(x, pool, body):
    graph = torch.cuda.CUDAGraph()
    torch.cuda.synchronize()
    graph.capture_begin(pool=pool)
    start = time.perf_counter()
    body(x)
    taken = time.perf_counter() - start
    graph.capture_end()
    return taken, graph


def in_place(x):
    for _ in range(NODES):
        x.add_(1)


def allocating(x):
    for _ in range(NODES):
        x = x + 1


def small(x):
    for _ in range(10):
        x.add_(1)


def parts(body, times):
    """Microseconds a time, over all and in the middle one of the parts; a watcher may be dearer at first."""
    taken = [seconds(lambda: body(times // PARTS)) / (times // PARTS) * 1e6 for _ in range(PARTS)]
    return sum(taken) / PARTS, median(taken)


def median(values):
    return sorted(values)[len(values) // 2]


def main():
    mode = sys.argv[1]
    x = torch.zeros(8, device="cuda")
    launch(x, 100)
    if mode == "callbacks":
        every_callback()
    profiler = torch.profiler.profile() if mode == "profiler" else contextlib.nullcontext()
    result = {}
    with profiler:
        result["launch_us"], result["later_launch_us"] = parts(
            lambda times: launch(x, times), LAUNCHES
        )
    profiler = torch.profiler.profile() if mode == "profiler" else contextlib.nullcontext()
    with profiler, torch.cuda.stream(torch.cuda.Stream()):
        # A graph keeps its pool, so that the captures below find memory there.
        _, keeper = capture(x, torch.cuda.graph_pool_handle(), allocating)
        pool = keeper.pool()
        for name, body in (
            ("capture_in_place_us", in_place),
            ("capture_allocating_us", allocating),
        ):
            taken = [capture(x, pool, body)[0] for _ in range(CAPTURES)]
            result[name] = median(taken) / NODES * 1e6
        start = time.perf_counter()
        _, graph = capture(x, pool, small)
        result["small_capture_us"] = (time.perf_counter() - start) * 1e6
        result["replay_us"], result["later_replay_us"] = parts(
            lambda times: replay(graph, times), REPLAYS
        )
        _, smallest = capture(x, pool, lambda x: x.add_(1))
        result["replay_of_one_us"], _ = parts(lambda times: replay(smallest, times), REPLAYS)
    print(json.dumps(result))


main()
