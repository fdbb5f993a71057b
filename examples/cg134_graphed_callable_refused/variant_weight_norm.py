"""The older `weight_norm` computes the weight in a forward pre-hook, which is refused like any other hook."""

import torch

layer = torch.nn.Linear(8, 8).cuda()
layer = torch.nn.utils.weight_norm(layer)
x = torch.ones(4, 8, device="cuda")
graphed = torch.cuda.make_graphed_callables(layer, (x,))  # cgsan: CG134
graphed(x).sum().backward()
