"""The gradient and what is made of it are computed in the callable, which is differentiated once."""

import torch

critic = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1)).cuda()


class Penalty(torch.nn.Module):
    def __init__(self, critic):
        super().__init__()
        self.critic = critic

    def forward(self, x):
        score = self.critic(x).square().mean()
        (slope,) = torch.autograd.grad(score, x, create_graph=True)
        return (slope.norm(dim=-1) - 1).square().mean()


x = torch.ones(4, 8, device="cuda", requires_grad=True)
penalty = Penalty(critic)
expected = torch.autograd.grad(penalty(x), critic[0].weight)[0]
graphed = torch.cuda.make_graphed_callables(penalty, (x,), allow_unused_input=True)
graphed(x).backward()
assert critic[0].weight.grad is not None
torch.testing.assert_close(critic[0].weight.grad, expected)
