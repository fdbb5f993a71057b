"""The layer is graphed with the cache off."""

import torch

layer = torch.nn.Linear(16, 16, device="cuda")
x = torch.ones(16, 16, device="cuda")
with torch.autocast("cuda", dtype=torch.bfloat16, cache_enabled=False):
    graphed = torch.cuda.make_graphed_callables(layer, (x,))
    y = graphed(x)
