"""Capture the function that the graph was made from."""

import torch

x = torch.ones(1, device="cuda")


def first(t):
    return t + 1


graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    z = first(x) * 2

graph.replay()
print(z.item())
