"""A step counts the lengths of its batches in an array of NumPy."""

import numpy
import torch

histogram = numpy.zeros(4)


def step(x):
    histogram[len(x)] += 1  # cgsan: CG212
    return x * 2


x = torch.zeros(3, device="cuda")
step(x)
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):  # cgsan: label
    y = step(x)
for _ in range(4):
    graph.replay()  # cgsan: label
print("counted", histogram.tolist(), "made", 6)
