"""`functools.partial` of a module is no module: it is graphed, and no parameter gets a gradient."""

import functools

import torch


class Scaled(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body = torch.nn.Linear(8, 8)

    def forward(self, x, factor):
        return self.body(x) * factor


model = Scaled().cuda()
x = torch.ones(4, 8, device="cuda", requires_grad=True)
graphed = torch.cuda.make_graphed_callables(functools.partial(model, factor=0.5), (x,))
graphed(x).sum().backward()
assert x.grad is not None
assert model.body.weight.grad is not None, "the weight has no gradient"
