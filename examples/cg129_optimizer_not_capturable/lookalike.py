"""An optimizer without a step count has nothing to keep on the host."""

import torch

weight = torch.ones(8, device="cuda", requires_grad=True)
weight.grad = torch.ones_like(weight)
optimizer = torch.optim.SGD([weight], lr=0.1)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    optimizer.step()
graph.replay()
