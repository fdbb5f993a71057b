"""A batch that is only looked at comes before the one that is learned from, whose two losses go back one after the other."""

import torch
from torch import nn

torch.manual_seed(0)
layer = nn.Sequential(nn.Linear(6, 8), nn.Tanh()).cuda()
weights = [it.detach().clone() for it in layer.parameters()]
graphed = torch.cuda.make_graphed_callables(layer, (torch.zeros(4, 6, device="cuda"),))
for it in layer.parameters():
    it.grad = torch.zeros_like(it)

looked_at, batch = (torch.full((4, 6), value, device="cuda") for value in (0.1, 0.4))
with torch.no_grad():
    before = graphed(looked_at).sum().item()
y = graphed(batch)
y.square().mean().backward(retain_graph=True)
y.mean().backward()
replayed = [round(it.grad.sum().item(), 4) for it in layer.parameters()]

eager = [it.requires_grad_() for it in weights]
y = torch.tanh(nn.functional.linear(batch, *eager))
(y.square().mean() + y.mean()).backward()
print("replay", replayed, "eager", [round(it.grad.sum().item(), 4) for it in eager], before)
