"""A tensor in ordinary host memory is made and used inside a capture, and never leaves the host."""

import torch

weight = torch.zeros(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    steps = torch.arange(3).tolist()
    for step in steps:
        weight += step
graph.replay()
