"""The newer `weight_norm` is a parametrization, which has no hook: the module can be graphed."""

import torch
from torch.nn.utils import parametrizations

layer = parametrizations.weight_norm(torch.nn.Linear(8, 8).cuda())
x = torch.ones(4, 8, device="cuda")
graphed = torch.cuda.make_graphed_callables(layer, (x,))
graphed(x).sum().backward()
assert all(parameter.grad is not None for parameter in layer.parameters())
