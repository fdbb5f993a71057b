"""The backward of a batch runs before the forward of the next one."""

import torch
from torch import nn

torch.manual_seed(0)
layer = nn.Sequential(nn.Linear(6, 8), nn.Tanh()).cuda()
weights = [it.detach().clone() for it in layer.parameters()]
graphed = torch.cuda.make_graphed_callables(layer, (torch.zeros(4, 6, device="cuda"),))
for it in layer.parameters():
    it.grad = torch.zeros_like(it)

batches = [torch.full((4, 6), value, device="cuda") for value in (0.1, 0.4)]
for it in batches:
    graphed(it).square().mean().backward()
replayed = [round(it.grad.sum().item(), 4) for it in layer.parameters()]

eager = [it.requires_grad_() for it in weights]
for it in batches:
    torch.tanh(nn.functional.linear(it, *eager)).square().mean().backward()
print("replay", replayed, "eager", [round(it.grad.sum().item(), 4) for it in eager])
