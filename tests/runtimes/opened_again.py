"""A program opens the library that serves its calls to CUDA by its path, which changes nothing."""

import ctypes
import os

import torch

if "CGSAN_LIBRARY" in os.environ:
    ctypes.CDLL(os.environ["CGSAN_LIBRARY"])
x = torch.zeros(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x + 1
graph.replay()
torch.cuda.synchronize()
del graph
