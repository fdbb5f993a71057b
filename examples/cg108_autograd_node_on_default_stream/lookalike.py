"""A node was made on the default stream, and the captured backward stops before it."""

import torch

weight = torch.ones(4, device="cuda", requires_grad=True)
hidden = weight * 2
static_hidden = hidden.detach().requires_grad_()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    loss = static_hidden.square().sum()
    loss.backward()
graph.replay()
