"""The number stays on the device."""

import torch

x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    total = x.sum()
    share = x / total
graph.replay()
