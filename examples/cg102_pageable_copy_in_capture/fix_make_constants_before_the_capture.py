"""Make constants before the capture."""

import torch

x = torch.zeros(4, device="cuda")
weights = torch.tensor([1.0, 2.0, 3.0, 4.0], device="cuda")
graph = torch.cuda.CUDAGraph()

with torch.cuda.graph(graph):
    y = x + weights

graph.replay()
