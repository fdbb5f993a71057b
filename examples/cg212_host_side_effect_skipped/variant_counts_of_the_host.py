"""A step notes what it has done in a set, a counter, an array of NumPy and a tensor of the host, each by a method or in place."""

import collections

import numpy
import torch

batches = set()
kinds = collections.Counter()
histogram = numpy.zeros(4)
total = torch.zeros(1, dtype=torch.int64)


def step(x):
    batches.add(len(batches))  # cgsan: CG212
    kinds.update(["step"])  # cgsan: CG212
    histogram[len(x) - 1] += 1  # cgsan: CG212
    total.add_(len(x))  # cgsan: CG212
    return x * 2


x = torch.zeros(3, device="cuda")
step(x)
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):  # cgsan: label
    y = step(x)
for _ in range(4):
    graph.replay()  # cgsan: label
print("noted", len(batches), kinds["step"], histogram.tolist(), total.item(), "made", 6)
