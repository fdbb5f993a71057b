"""Buffers made before the capture are written by it."""

import torch

x = torch.zeros(128, device="cuda")
scratch = torch.empty_like(x)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    scratch.copy_(x)

x.copy_(torch.full((128,), 2.0))
graph.replay()
assert scratch.tolist() == x.tolist()
