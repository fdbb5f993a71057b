"""`torch.cuda.empty_cache()` frees device memory; a library's pinned allocation is refused all the same."""

import ctypes

import torch

runtime = ctypes.CDLL(f"libcudart.so.{torch.version.cuda.split('.')[0]}")
pointer = ctypes.c_void_p()
torch.cuda.empty_cache()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    runtime.cudaHostAlloc(ctypes.byref(pointer), ctypes.c_size_t(4096), 0)
