"""Autograd refuses a gradient of the program's own, which has nothing to do with the graphed module."""

import torch

model = torch.nn.Linear(8, 8, device="cuda")
x = torch.ones(4, 8, device="cuda")
graphed = torch.cuda.make_graphed_callables(model, (x,))
graphed(x).sum().backward()
assert model.weight.grad is not None

used = torch.ones(3, requires_grad=True)
unused = torch.ones(3, requires_grad=True)
try:
    torch.autograd.grad(used.sum(), (used, unused))
except RuntimeError as error:
    print("refused:", "allow_unused" in str(error))
else:
    raise AssertionError("an unused input was not refused")
