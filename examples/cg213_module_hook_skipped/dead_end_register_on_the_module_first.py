"""PyTorch refuses to graph a module that has a hook of its own."""

import torch

model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU()).cuda()
model.register_forward_hook(lambda *_: print("hook"))
x = torch.ones(4, 8, device="cuda")
torch.cuda.make_graphed_callables(model, (x,))
