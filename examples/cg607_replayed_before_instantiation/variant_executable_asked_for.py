"""A graph is to be uploaded before its first launch, and with `keep_graph=True` it has no executable yet."""

import ctypes

import torch

cudart = ctypes.CDLL(f"libcudart.so.{torch.version.cuda.split('.')[0]}")
x = torch.ones(8, device="cuda")
stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
graph = torch.cuda.CUDAGraph(keep_graph=True)
with torch.cuda.graph(graph):
    y = x + 1

executable = ctypes.c_void_p(graph.raw_cuda_graph_exec())  # cgsan: CG607
assert cudart.cudaGraphUpload(executable, stream) == 0
graph.replay()
torch.cuda.synchronize()
