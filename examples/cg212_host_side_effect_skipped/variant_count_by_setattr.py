"""A step counts its calls in an attribute that `setattr` sets."""

import torch


class Meter:
    calls = 0


meter, counted = Meter(), "calls"


def step(x):
    setattr(meter, counted, getattr(meter, counted) + 1)  # cgsan: CG212
    return x * 2


x = torch.zeros(3, device="cuda")
step(x)
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):  # cgsan: label
    y = step(x)
for _ in range(4):
    graph.replay()  # cgsan: label
print("counted", meter.calls, "made", 6)
