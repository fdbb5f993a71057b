"""A head that the forward pass does not use has parameters that require a gradient."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body = torch.nn.Linear(8, 8)
        self.auxiliary = torch.nn.Linear(8, 2)

    def forward(self, x):
        return self.body(x).relu()


x = torch.ones(4, 8, device="cuda")
graphed = torch.cuda.make_graphed_callables(Model().cuda(), (x,))  # cgsan: CG134
graphed(x).sum().backward()
