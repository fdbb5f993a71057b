"""Beside a loss nothing is refused, and the penalty adds nothing to the gradients of the weights."""

import torch

critic = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1)).cuda()
x = torch.ones(4, 8, device="cuda", requires_grad=True)
graphed = torch.cuda.make_graphed_callables(critic, (x,))
score = graphed(x).sum()
(slope,) = torch.autograd.grad(score, x, create_graph=True)
penalty = slope.square().sum()
(score + penalty).backward()
assert penalty.requires_grad, "the penalty is a constant for autograd"
