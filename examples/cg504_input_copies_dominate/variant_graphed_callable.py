"""A graphed callable copies an argument that is not the captured tensor, and does little with it."""

import torch


def halve(x):
    return x * 0.5


sample = torch.zeros(1024, 1024, device="cuda")
graphed = torch.cuda.make_graphed_callables(halve, (sample,))  # cgsan: label
batch = torch.ones(1024, 1024, device="cuda")
for _ in range(12):
    y = graphed(batch)  # cgsan: CG504
print(y.mean().item())
