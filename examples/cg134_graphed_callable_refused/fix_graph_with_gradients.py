"""Graphed with gradients enabled and samples that require what the calls require, it has a backward graph."""

import torch

layer = torch.nn.Linear(8, 8, device="cuda").requires_grad_(False)
sample = torch.ones(4, 8, device="cuda", requires_grad=True)
graphed = torch.cuda.make_graphed_callables(layer, (sample,))
x = torch.ones(4, 8, device="cuda", requires_grad=True)
graphed(x).sum().backward()
assert x.grad is not None
