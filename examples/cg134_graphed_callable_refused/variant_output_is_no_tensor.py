"""The module returns a number beside its tensor, and the outputs are asked whether they require a gradient."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body = torch.nn.Linear(8, 8)

    def forward(self, x):
        return self.body(x), x.shape[0]


x = torch.ones(4, 8, device="cuda")
graphed = torch.cuda.make_graphed_callables(Model().cuda(), (x,))  # cgsan: CG134
output, rows = graphed(x)
output.sum().backward()
