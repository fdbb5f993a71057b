"""PyTorch allocates pinned memory inside a capture, which 2.11 guards."""

import torch

x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x + 1
    staging = torch.empty(1 << 20, pin_memory=True)
    z = y * 2
graph.replay()
