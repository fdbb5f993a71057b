"""Tensors and an event are dropped while a graph is captured, which is fine."""

import torch

x = torch.ones(8, device="cuda")
cache = {"tensor": torch.ones(64 << 20, device="cuda"), "event": torch.cuda.Event()}
cache["event"].record()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
    cache.clear()
    y = y + 1
graph.replay()
