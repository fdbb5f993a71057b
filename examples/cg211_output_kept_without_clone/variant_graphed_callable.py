"""A graphed callable returns the same memory at each call, and the caller collects it."""

import torch


def double(x):
    return x * 2


graphed = torch.cuda.make_graphed_callables(  # cgsan: label
    double, (torch.zeros(4, device="cuda"),)
)
batches = [torch.full((4,), float(value), device="cuda") for value in range(4)]
outputs = []
for batch in batches:
    outputs.append(graphed(batch))  # cgsan: CG211
replayed = [output[0].item() for output in outputs]
print("replay", replayed, "eager", [double(batch)[0].item() for batch in batches])
