"""The library allocates its pinned memory before the capture."""

import ctypes

import torch

runtime = ctypes.CDLL(f"libcudart.so.{torch.version.cuda.split('.')[0]}")
pointer = ctypes.c_void_p()
x = torch.ones(8, device="cuda")
runtime.cudaHostAlloc(ctypes.byref(pointer), ctypes.c_size_t(4096), 0)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x + 1
    z = y * 2
graph.replay()
