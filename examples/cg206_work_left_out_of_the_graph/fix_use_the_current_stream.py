"""The library launches on the caller's current stream, which is the one that captures."""

import torch


def library(x):
    return x * 2


x = torch.zeros(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = library(x + 1)

x.fill_(3)
graph.replay()
assert y.tolist() == [8, 8, 8, 8]
