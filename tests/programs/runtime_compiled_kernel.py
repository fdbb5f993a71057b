"""A special function, whose kernel is compiled at run time, is captured cold."""

import torch

x = torch.ones(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = torch.special.bessel_j1(x)
graph.replay()
