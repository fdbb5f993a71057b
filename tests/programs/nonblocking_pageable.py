"""Asking for a copy that does not block does not make ordinary memory pinned."""

import torch

x = torch.ones(4)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x.cuda(non_blocking=True)
