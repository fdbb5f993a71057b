"""The layer is graphed outside the `autocast` block, for which the cache does not matter."""

import torch

layer = torch.nn.Linear(16, 16, device="cuda", dtype=torch.bfloat16)
x = torch.ones(16, 16, device="cuda", dtype=torch.bfloat16)
graphed = torch.cuda.make_graphed_callables(layer, (x,))
with torch.autocast("cuda", dtype=torch.bfloat16):
    y = graphed(x)
