"""Give data-dependent results a fixed shape."""

import torch

x = torch.randn(64, device="cuda")
graph = torch.cuda.CUDAGraph()

with torch.cuda.graph(graph):
    mask = x > 0
    total = torch.where(mask, x, torch.zeros_like(x)).sum()
    where = torch.nonzero_static(mask, size=64, fill_value=-1)

graph.replay()
