"""The function that the first graph was made from is captured again, as part of the new graph."""

import torch

x = torch.ones(8, device="cuda")


def layer(t):
    return t + 1


graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = layer(x)
step = torch.cuda.CUDAGraph()
with torch.cuda.graph(step):
    z = layer(x) * 2
step.replay()
