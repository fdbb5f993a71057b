"""Decide on the device."""

import torch

x = torch.randn(64, device="cuda")
limit = torch.tensor(1.0, device="cuda")
graph = torch.cuda.CUDAGraph()

with torch.cuda.graph(graph):
    norm = x.norm()
    scale = torch.where(norm > limit, limit / norm, torch.ones_like(norm))
    clipped = x * scale

graph.replay()
