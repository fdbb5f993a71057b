"""The module that is to be graphed has a forward hook, and PyTorch refuses it."""

import torch

model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU()).cuda()
x = torch.ones(4, 8, device="cuda")
shapes = []
model.register_forward_hook(lambda module, args, output: shapes.append(tuple(output.shape)))
graphed = torch.cuda.make_graphed_callables(model, (x,))  # cgsan: CG134
graphed(x).sum().backward()
