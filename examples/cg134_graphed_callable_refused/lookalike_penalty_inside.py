"""The gradient penalty is a part of the graphed callable, so one backward pass through it suffices."""

import torch

model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1)).cuda()


class Penalty(torch.nn.Module):
    def __init__(self, critic):
        super().__init__()
        self.critic = critic

    def forward(self, x):
        score = self.critic(x).sum()
        (slope,) = torch.autograd.grad(score, x, create_graph=True)
        return score + slope.square().sum()


x = torch.ones(4, 8, device="cuda", requires_grad=True)
penalty = torch.cuda.make_graphed_callables(Penalty(model), (x,))
penalty(x).backward()
assert all(parameter.grad is not None for parameter in model.parameters())
