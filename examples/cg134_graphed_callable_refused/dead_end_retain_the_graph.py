"""`retain_graph=True` keeps the saved tensors; the backward node still cannot be differentiated."""

import torch

critic = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1)).cuda()
x = torch.ones(4, 8, device="cuda", requires_grad=True)
graphed = torch.cuda.make_graphed_callables(critic, (x,))
score = graphed(x).square().mean()
(slope,) = torch.autograd.grad(score, x, create_graph=True, retain_graph=True)
slope.square().sum().backward(retain_graph=True)
