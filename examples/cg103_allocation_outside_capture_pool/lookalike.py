"""A large allocation inside the capture, on its stream, comes from the graph's own pool."""

import torch

x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x + 1
    scratch = torch.empty(64 << 20, device="cuda")
    z = y * 2
graph.replay()
