"""In mode `relaxed` the capturing thread may allocate pinned memory, here as a library does it."""

import ctypes

import torch

runtime = ctypes.CDLL(f"libcudart.so.{torch.version.cuda.split('.')[0]}")
pointer = ctypes.c_void_p()
x = torch.ones(8, device="cuda")
y = torch.empty_like(x)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, capture_error_mode="relaxed"):
    code = runtime.cudaHostAlloc(ctypes.byref(pointer), ctypes.c_size_t(4096), 0)
    y.copy_(x)

assert code == 0
graph.replay()
assert y.tolist() == x.tolist()
runtime.cudaFreeHost(pointer)
