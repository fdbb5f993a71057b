"""The module is graphed under `torch.no_grad()` and then trained: it has no graph for the backward pass."""

import torch

model = torch.nn.Linear(8, 8, device="cuda")
x = torch.ones(4, 8, device="cuda")
with torch.no_grad():
    graphed = torch.cuda.make_graphed_callables(model, (x,))
loss = graphed(x).square().mean()
loss.backward()  # cgsan: CG134
