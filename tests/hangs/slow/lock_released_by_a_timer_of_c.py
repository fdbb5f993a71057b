"""The only thread of Python waits for a lock that a thread of C releases after a while; then for one with a limit."""

import ctypes
import struct
import threading

import torch

LONG = 7
SIGEV_THREAD = 2
CLOCK_MONOTONIC = 1

x = torch.zeros(64, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x + 1
busy = threading.Lock()
busy.acquire()
release = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: busy.release())
# `struct sigevent`: a thread of the C library calls the function.
event = struct.pack("qiiPP32x", 0, 0, SIGEV_THREAD, ctypes.cast(release, ctypes.c_void_p).value, 0)
# Older C libraries have timers in a library of their own.
libraries = (ctypes.CDLL(None), ctypes.CDLL("librt.so.1"))
library = next(library for library in libraries if hasattr(library, "timer_create"))
timer = ctypes.c_void_p()
assert library.timer_create(CLOCK_MONOTONIC, event, ctypes.byref(timer)) == 0
assert library.timer_settime(timer, 0, (ctypes.c_long * 4)(0, 0, LONG, 0), None) == 0
with busy:
    graph.replay()
    busy.acquire(timeout=LONG)
torch.cuda.synchronize()
