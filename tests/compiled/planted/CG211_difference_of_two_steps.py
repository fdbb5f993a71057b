"""A loop compares the output of a step with that of the step before, which is the same memory by then."""

import torch


@torch.compile(mode="reduce-overhead")
def advance(x):
    return torch.sin(x) * 2 + 1


x = torch.zeros(16, device="cuda")
for _ in range(4):
    advance(x).clone()
before, changes = None, []
for value in (1.0, 2.0, 3.0):
    x.fill_(value)
    after = advance(x)  # cgsan: label
    if before is not None:
        changes.append((after - before).abs().sum().item())  # cgsan: CG211
    before = after
print("replay", changes, "eager: no change is 0")
