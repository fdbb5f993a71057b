"""One of the sample arguments is a number, and only tensors may be passed."""

import torch


class Scaled(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body = torch.nn.Linear(8, 8)

    def forward(self, x, factor):
        return self.body(x) * factor


x = torch.ones(4, 8, device="cuda")
graphed = torch.cuda.make_graphed_callables(Scaled().cuda(), (x, 0.5))  # cgsan: CG134
graphed(x, 0.5).sum().backward()
