"""Calls are counted by name, and begin at nothing behind the capture; the replays count no call."""

import collections

import torch

calls = collections.Counter()
weight = torch.ones(4, device="cuda")


def scale(x):
    calls["scale"] += 1  # cgsan: CG212
    return x * weight


x = torch.zeros(4, device="cuda")
scale(x)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):  # cgsan: label
    y = scale(x)
calls.clear()
replayed = []
for value in range(4):
    x.fill_(value)
    graph.replay()
    replayed.append(y[0].item())
counted = calls["scale"]
calls.clear()
for value in range(4):
    scale(x.fill_(value))
print("replay", replayed, counted, "eager", calls["scale"])
