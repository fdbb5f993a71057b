"""Begin the autograd graph inside the capture."""

import torch

x = torch.randn(2, 2, device="cuda", requires_grad=True)
y = torch.randn(2, 2, device="cuda", requires_grad=True)
graph = torch.cuda.CUDAGraph()

with torch.cuda.graph(graph):
    shifted = y + 1
    loss = ((x + shifted) * x).sum()
    loss.backward()

graph.replay()
