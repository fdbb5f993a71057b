"""An optimizer that keeps its step count on the host is captured."""

import torch

weight = torch.ones(8, device="cuda", requires_grad=True)
weight.grad = torch.ones_like(weight)
optimizer = torch.optim.Adam([weight])
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    optimizer.step()  # cgsan: CG129
graph.replay()
