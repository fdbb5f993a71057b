"""The optimizer keeps its step count on the device, and has taken a step before it is captured."""

import torch

weight = torch.ones(8, device="cuda", requires_grad=True)
weight.grad = torch.ones_like(weight)
optimizer = torch.optim.Adam([weight], capturable=True)
optimizer.step()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    optimizer.step()
graph.replay()
