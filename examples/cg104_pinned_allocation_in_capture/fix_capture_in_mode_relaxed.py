"""Capture in mode `relaxed`."""

import torch

data = torch.randn(1024)
x = torch.zeros(4, device="cuda")
graph = torch.cuda.CUDAGraph()

with torch.cuda.graph(graph, capture_error_mode="relaxed"):
    pinned = data.pin_memory()
    y = x + 1

graph.replay()
