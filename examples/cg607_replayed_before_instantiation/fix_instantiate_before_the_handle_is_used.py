"""`instantiate()` makes the executable; from then on its handle can be asked for and launched."""

import ctypes

import torch

cudart = ctypes.CDLL(f"libcudart.so.{torch.version.cuda.split('.')[0]}")
x = torch.tensor([1.0, 2.0], device="cuda")
y = torch.zeros(2, device="cuda")
graph = torch.cuda.CUDAGraph(keep_graph=True)
with torch.cuda.graph(graph):
    y.copy_(x)

graph.instantiate()
executable = ctypes.c_void_p(graph.raw_cuda_graph_exec())
stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
assert cudart.cudaGraphLaunch(executable, stream) == 0
assert y.tolist() == [1.0, 2.0]
