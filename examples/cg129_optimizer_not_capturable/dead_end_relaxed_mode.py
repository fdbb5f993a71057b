"""The refusal is PyTorch's own check, which does not look at the capture's mode."""

import torch

weight = torch.ones(8, device="cuda", requires_grad=True)
weight.grad = torch.ones_like(weight)
optimizer = torch.optim.Adam([weight])
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, capture_error_mode="relaxed"):
    optimizer.step()
