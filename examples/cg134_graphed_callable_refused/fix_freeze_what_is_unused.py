"""What the forward pass does not use requires no gradient while the module is graphed."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body = torch.nn.Linear(8, 8)
        self.auxiliary = torch.nn.Linear(8, 2)

    def forward(self, x):
        return self.body(x).relu()


model = Model().cuda()
model.auxiliary.requires_grad_(False)
x = torch.ones(4, 8, device="cuda")
graphed = torch.cuda.make_graphed_callables(model, (x,))
graphed(x).sum().backward()
assert model.body.weight.grad is not None
