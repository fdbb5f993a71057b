"""The capture is broken by the refused wait, whether or not its exception is caught."""

import torch

x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x + 1
    try:
        total = y.sum().item()
    except RuntimeError:
        total = 0.0
    z = y * 2
