"""A library other than PyTorch allocates pinned memory inside a capture.

PyTorch's own pinned allocations are guarded since 2.11, so another library stands in here.
"""

import ctypes

import torch

runtime = ctypes.CDLL(f"libcudart.so.{torch.version.cuda.split('.')[0]}")
pointer = ctypes.c_void_p()
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x + 1
    runtime.cudaHostAlloc(ctypes.byref(pointer), ctypes.c_size_t(4096), 0)  # cgsan: CG104
    z = y * 2
graph.replay()
