"""The captured backward walks into a node that an earlier line made on the default stream."""

import torch

weight = torch.ones(4, device="cuda", requires_grad=True)
hidden = weight * 2  # cgsan: label
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    loss = hidden.square().sum()
    loss.backward()  # cgsan: CG108
graph.replay()
