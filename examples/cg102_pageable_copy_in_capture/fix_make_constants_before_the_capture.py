"""A constant that exists before the capture needs no copy in it."""

import torch

weights = torch.tensor([1.0, 2.0, 3.0, 4.0], device="cuda")
y = torch.empty_like(weights)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y.copy_(weights)

graph.replay()
assert y.tolist() == [1.0, 2.0, 3.0, 4.0]
