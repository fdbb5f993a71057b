"""What a step counts in an array, a set and a tensor of the host, the program counts beside each replay as well."""

import numpy
import torch

histogram, batches, total = numpy.zeros(4), set(), torch.zeros(1)


def count(x):
    histogram[len(x)] += 1
    batches.add(len(batches))
    total.add_(len(x))


def step(x):
    count(x)
    return x * 2


x = torch.ones(3, device="cuda")
step(x)
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = step(x)
for _ in range(4):
    count(x)
    graph.replay()
print("replay", [len(batches)], "eager", [6])
