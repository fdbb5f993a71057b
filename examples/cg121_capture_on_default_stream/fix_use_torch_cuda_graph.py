"""Use `torch.cuda.graph`."""

import torch

a = torch.randn(64, device="cuda")
graph = torch.cuda.CUDAGraph()

with torch.cuda.graph(graph):
    b = a + 1

graph.replay()
