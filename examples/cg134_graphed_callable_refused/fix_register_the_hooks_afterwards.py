"""The hook is taken off for the graphing, and registered again on the graphed module."""

import torch

model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU()).cuda()
x = torch.ones(4, 8, device="cuda")
calls = []


def log(module, args, output):
    calls.append(tuple(output.shape))


handle = model.register_forward_hook(log)
model(x)
handle.remove()
model = torch.cuda.make_graphed_callables(model, (x,))
model.register_forward_hook(log)
for _ in range(3):
    model(x)
assert calls == [(4, 8)] * 4
