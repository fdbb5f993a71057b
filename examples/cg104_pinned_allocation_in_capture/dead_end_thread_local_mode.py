"""Mode `thread_local` frees other threads from the rules, not the one that captures and pins."""

import ctypes

import torch

runtime = ctypes.CDLL(f"libcudart.so.{torch.version.cuda.split('.')[0]}")
pointer = ctypes.c_void_p()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, capture_error_mode="thread_local"):
    runtime.cudaHostAlloc(ctypes.byref(pointer), ctypes.c_size_t(4096), 0)
