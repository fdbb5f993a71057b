"""Capture in mode `thread_local`."""

import torch

x = torch.randn(8, device="cuda")
graph = torch.cuda.CUDAGraph()

with torch.cuda.graph(graph, capture_error_mode="thread_local"):
    y = x + 1

graph.replay()
