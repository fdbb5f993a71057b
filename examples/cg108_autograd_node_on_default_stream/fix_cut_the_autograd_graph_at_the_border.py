"""Cut the autograd graph at the border."""

import torch

x = torch.randn(2, 2, device="cuda", requires_grad=True)
base = torch.randn(2, 2, device="cuda", requires_grad=True)
shifted = (base + 1).detach().requires_grad_()
graph = torch.cuda.CUDAGraph()

with torch.cuda.graph(graph):
    loss = ((x + shifted) * x).sum()
    loss.backward()

graph.replay()
print(shifted.grad)
