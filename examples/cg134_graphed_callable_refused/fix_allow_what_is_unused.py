"""`allow_unused_input=True` leaves the parameters without a gradient that the outputs do not depend on."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body = torch.nn.Linear(8, 8)
        self.auxiliary = torch.nn.Linear(8, 2)

    def forward(self, x):
        return self.body(x).relu()


model = Model().cuda()
x = torch.ones(4, 8, device="cuda")
graphed = torch.cuda.make_graphed_callables(model, (x,), allow_unused_input=True)
graphed(x).sum().backward()
assert model.body.weight.grad is not None
assert model.auxiliary.weight.grad is None
