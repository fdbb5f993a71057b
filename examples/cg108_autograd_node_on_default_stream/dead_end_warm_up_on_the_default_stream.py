"""Warming up on the default stream leaves the node where it was."""

import torch

weight = torch.ones(4, device="cuda", requires_grad=True)
hidden = weight * 2
for _ in range(5):
    hidden.square().sum().backward(retain_graph=True)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    hidden.square().sum().backward()
