"""The captured backward ends at a leaf; the part outside gets its gradient by hand."""

import torch

weight = torch.ones(4, device="cuda", requires_grad=True)
outside = weight * 2
leaf = outside.detach().requires_grad_()
leaf.grad = torch.zeros_like(leaf)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    leaf.square().sum().backward()

graph.replay()
outside.backward(leaf.grad)
assert weight.grad.tolist() == [8.0] * 4
