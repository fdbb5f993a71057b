"""A buffer of the module requires a gradient, and only parameters may."""

import torch


class Scaled(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body = torch.nn.Linear(8, 8)
        self.register_buffer("scale", torch.ones(8, requires_grad=True))

    def forward(self, x):
        return self.body(x) * self.scale


x = torch.ones(4, 8, device="cuda")
graphed = torch.cuda.make_graphed_callables(Scaled().cuda(), (x,))  # cgsan: CG134
graphed(x).sum().backward()
