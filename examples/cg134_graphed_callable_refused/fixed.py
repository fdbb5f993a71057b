"""The hook is registered once the module is graphed, and runs at each call."""

import torch

model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU()).cuda()
x = torch.ones(4, 8, device="cuda")
shapes = []
graphed = torch.cuda.make_graphed_callables(model, (x,))
model.register_forward_hook(lambda module, args, output: shapes.append(tuple(output.shape)))
graphed(x).sum().backward()
assert shapes == [(4, 8)]
