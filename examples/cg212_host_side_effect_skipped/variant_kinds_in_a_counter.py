"""A step counts what it does by a method of a `Counter`."""

import collections

import torch

kinds = collections.Counter()


def step(x):
    kinds.update(["step"])  # cgsan: CG212
    return x * 2


x = torch.zeros(3, device="cuda")
step(x)
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):  # cgsan: label
    y = step(x)
for _ in range(4):
    graph.replay()  # cgsan: label
print("counted", kinds["step"], "made", 6)
