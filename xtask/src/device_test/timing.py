"""Measures in a process of its own what launching, replaying and capturing cost.

Usage: python timing.py MODE

Once it is ready it says so, and then answers each command `WHAT TIMES` by a line: microseconds for each of the TIMES. The MODE
`plain` is the program as it is, also under `cgsan run`; `profiler` runs inside `torch.profiler`; `callbacks` has CUPTI's
callbacks on for every function of the driver, to a function that does nothing.
"""

import ctypes
import sys
import time

import torch

NODES = 1_000
# A kernel that the program launches itself, with three pointers and two numbers.
KERNEL = b"""
.version 8.0
.target sm_75
.address_size 64
.visible .entry own(.param .u64 x, .param .u64 y, .param .u64 z, .param .f32 a, .param .u32 n) { ret; }
\0"""


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


def in_place(x, times):
    for _ in range(times):
        x.add_(1)


def allocating(x, times):
    for _ in range(times):
        x = x + 1


class Kernel:
    """Launches a kernel past PyTorch's operators, through the driver."""

    def __init__(self, x):
        self.driver = ctypes.CDLL("libcuda.so.1")
        module, self.function = ctypes.c_void_p(), ctypes.c_void_p()
        codes = (
            self.driver.cuModuleLoadData(ctypes.byref(module), KERNEL),
            self.driver.cuModuleGetFunction(ctypes.byref(self.function), module, b"own"),
        )
        if any(codes):
            sys.exit(f"the driver refused the kernel: {codes}")
        address = ctypes.c_uint64(x.data_ptr())
        self.values = address, address, address, ctypes.c_float(0.5), ctypes.c_uint32(8)
        pointers = (ctypes.addressof(it) for it in self.values)
        self.given = (ctypes.c_void_p * 5)(*pointers)

    def launch(self, _x, times):
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        launch, shape = self.driver.cuLaunchKernel, (1, 1, 1, 32, 1, 1, 0)
        for _ in range(times):
            launch(self.function, *shape, stream, self.given, None)


class Work:
    """What is measured: loops of launches and of replays, and captures."""

    def __init__(self, mode):
        self.x = torch.zeros(8, device="cuda")
        in_place(self.x, 100)
        if mode == "callbacks":
            every_callback()
        if mode == "profiler":
            torch.profiler.profile().start()
        self.kernel = Kernel(self.x)
        self.stream = torch.cuda.Stream()
        # A graph keeps its pool, so that later captures find memory there.
        self.keeper = self.capture(torch.cuda.graph_pool_handle(), allocating, NODES)[1]
        self.model = torch.nn.Sequential(
            *(torch.nn.Linear(64, 64) for _ in range(4)), torch.nn.Linear(64, 1)
        ).cuda()
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=1e-3, foreach=False)
        self.batch = torch.randn(32, 64, device="cuda")
        self.graphs = {
            "replay": self.capture(self.keeper.pool(), in_place, 10)[1],
            "replay_of_one": self.capture(self.keeper.pool(), in_place, 1)[1],
            "replay_of_hundred": self.capture(self.keeper.pool(), in_place, 100)[1],
            "replay_of_thousand": self.capture(self.keeper.pool(), in_place, 1_000)[1],
        }

    def capture(self, pool, body, times):
        """Seconds that the body took in a capture, those of the whole capture, and its graph."""
        graph = torch.cuda.CUDAGraph()
        torch.cuda.synchronize()
        with torch.cuda.stream(self.stream):
            begun = time.perf_counter()
            graph.capture_begin(pool=pool)
            start = time.perf_counter()
            body(self.x, times)
            taken = time.perf_counter() - start
            graph.capture_end()
        return (taken, time.perf_counter() - begun), graph

    def steps(self, times):
        """Steps of a training that is not captured."""
        for _ in range(times):
            self.optimizer.zero_grad()
            self.model(self.batch).sum().backward()
            self.optimizer.step()

    def measure(self, what, times):
        """Microseconds for each of the times."""
        if what == "launch":
            return seconds(lambda: in_place(self.x, times)) / times * 1e6
        if what == "kernel":
            return seconds(lambda: self.kernel.launch(self.x, times)) / times * 1e6
        if what == "step":
            return seconds(lambda: self.steps(times)) / times * 1e6
        if what in self.graphs:
            with torch.cuda.stream(self.stream):
                return seconds(lambda: self.replay(self.graphs[what], times)) / times * 1e6
        bodies = {
            "capture_in_place": in_place,
            "capture_allocating": allocating,
            "capture_kernels": self.kernel.launch,
        }
        if what in bodies:
            (taken, _), _ = self.capture(self.keeper.pool(), bodies[what], times)
            return taken / times * 1e6
        (_, whole), _ = self.capture(self.keeper.pool(), in_place, times)
        return whole * 1e6

    @staticmethod
    def replay(graph, times):
        for _ in range(times):
            graph.replay()


def main():
    try:
        work = Work(sys.argv[1])
        print("ready", flush=True)
        for line in sys.stdin:
            what, times = line.split()
            print(work.measure(what, int(times)), flush=True)
    except Exception as error:
        print("failed:", repr(error), flush=True)


main()
