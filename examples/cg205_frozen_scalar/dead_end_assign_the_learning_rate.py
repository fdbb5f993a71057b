"""A scheduler sets a new learning rate; the graph keeps the number of its capture."""

import torch

weight = torch.zeros(4, device="cuda", requires_grad=True)
weight.grad = torch.ones_like(weight)
optimizer = torch.optim.SGD([weight], lr=1.0)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    optimizer.step()

optimizer.param_groups[0]["lr"] = 0.5
graph.replay()
assert weight.tolist() == [-0.5] * 4, "the graph steps with the rate of its capture"
