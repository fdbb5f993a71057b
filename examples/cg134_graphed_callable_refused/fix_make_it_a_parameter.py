"""What is to be trained is a parameter, and the rest of the buffers requires no gradient."""

import torch


class Scaled(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body = torch.nn.Linear(8, 8)
        self.scale = torch.nn.Parameter(torch.ones(8))
        self.register_buffer("offset", torch.zeros(8))

    def forward(self, x):
        return self.body(x) * self.scale + self.offset


model = Scaled().cuda()
x = torch.ones(4, 8, device="cuda")
graphed = torch.cuda.make_graphed_callables(model, (x,))
graphed(x).sum().backward()
assert model.scale.grad is not None
assert model.offset.grad is None
