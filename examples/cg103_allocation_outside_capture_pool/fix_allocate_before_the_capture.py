"""Allocate before the capture."""

import torch

x = torch.randn(128, device="cuda")
scratch = torch.empty_like(x)
graph = torch.cuda.CUDAGraph()

with torch.cuda.graph(graph):
    torch.mul(x, 2, out=scratch)
    y = scratch + 1

graph.replay()
