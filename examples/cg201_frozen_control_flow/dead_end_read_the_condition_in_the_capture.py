"""The branch reads its condition from the device, which a capture refuses."""

import torch

x = torch.full((4,), 3.0, device="cuda")
even = torch.ones((), dtype=torch.bool, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x + 1 if even.item() else x - 1
graph.replay()
