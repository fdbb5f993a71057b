"""Giving the name another tensor saves the copy, and the graph goes on reading the old one."""

import torch

x = torch.ones(1024, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2

x = torch.full_like(x, 5.0)
graph.replay()
assert y[0].item() == 10.0, y[0].item()
