"""SGD without `fused` reads a tensor learning rate back to the host, which a capture refuses."""

import torch

weight = torch.zeros(4, device="cuda", requires_grad=True)
weight.grad = torch.ones_like(weight)
rate = torch.tensor(1.0, device="cuda")
optimizer = torch.optim.SGD([weight], lr=rate)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    optimizer.step()
graph.replay()
