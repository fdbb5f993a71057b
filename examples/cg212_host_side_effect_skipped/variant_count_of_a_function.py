"""A step counts its calls in an attribute of its own function."""

import torch


def step(x):
    step.calls = getattr(step, "calls", 0) + 1  # cgsan: CG212
    return x * 2


x = torch.zeros(3, device="cuda")
step(x)
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):  # cgsan: label
    y = step(x)
for _ in range(4):
    graph.replay()  # cgsan: label
print("counted", step.calls, "made", 6)
