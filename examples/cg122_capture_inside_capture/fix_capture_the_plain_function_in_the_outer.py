"""Capture the plain function in the outer graph."""

import torch


def inner(t):
    return t + 1


def outer(t):
    return inner(t) * 2


a = torch.randn(64, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    c = outer(a)

graph.replay()
