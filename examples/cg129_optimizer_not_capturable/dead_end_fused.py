"""`fused=True` is not `capturable=True`: PyTorch refuses the step all the same."""

import torch

weight = torch.ones(8, device="cuda", requires_grad=True)
weight.grad = torch.ones_like(weight)
optimizer = torch.optim.Adam([weight], fused=True)
optimizer.step()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    optimizer.step()
