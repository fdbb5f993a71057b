"""A gradient penalty differentiates the gradient of a graphed critic once more."""

import torch

critic = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1)).cuda()
x = torch.ones(4, 8, device="cuda", requires_grad=True)
graphed = torch.cuda.make_graphed_callables(critic, (x,))
sample = torch.ones(4, 8, device="cuda", requires_grad=True)
score = graphed(sample).square().mean()
(slope,) = torch.autograd.grad(score, sample, create_graph=True)
penalty = (slope.norm(dim=-1) - 1).square().mean()
penalty.backward()  # cgsan: CG134
