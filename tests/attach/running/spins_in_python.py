"""A loop of Python that computes without end, with a graph beside it."""

import torch

x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    x.add_(1)
number = 0
while True:
    number += 1
