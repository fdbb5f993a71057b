"""A zero-dimensional CPU tensor becomes an argument of the kernel, by value, like a Python number."""

import torch

x = torch.full((4,), 2.0, device="cuda")
scale = torch.tensor(1.0)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * scale

scale.fill_(3.0)
graph.replay()
assert y.tolist() == [6.0] * 4, "the graph multiplies by the value of its capture"
