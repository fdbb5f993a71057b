"""Every node of the backward is made inside the capture."""

import torch

weight = torch.ones(4, device="cuda", requires_grad=True)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    hidden = weight * 2
    hidden.square().sum().backward()

graph.replay()
torch.cuda.synchronize()
assert weight.grad.shape == weight.shape
