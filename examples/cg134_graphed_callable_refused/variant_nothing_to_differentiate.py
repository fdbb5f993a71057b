"""A lambda hides the module, and no argument requires a gradient: there is nothing to differentiate for."""

import torch

model = torch.nn.Linear(8, 8, device="cuda")
x = torch.ones(4, 8, device="cuda")
graphed = torch.cuda.make_graphed_callables(lambda x: model(x).relu(), (x,))  # cgsan: CG134
graphed(x).sum().backward()
