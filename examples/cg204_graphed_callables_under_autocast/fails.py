"""A layer is graphed inside an `autocast` block, whose cache of cast weights is on by default."""

import torch

layer = torch.nn.Linear(16, 16, device="cuda")
x = torch.ones(16, 16, device="cuda")
with torch.autocast("cuda", dtype=torch.bfloat16):
    graphed = torch.cuda.make_graphed_callables(layer, (x,))  # cgsan: CG204
    y = graphed(x)
