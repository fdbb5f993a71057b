"""A graphed callable does not solve it: PyTorch refuses to make one while the cache is on."""

import torch

layer = torch.nn.Linear(16, 16, device="cuda")
x = torch.ones(16, 16, device="cuda")
with torch.autocast("cuda", dtype=torch.bfloat16):
    graphed = torch.cuda.make_graphed_callables(layer, (x,))
