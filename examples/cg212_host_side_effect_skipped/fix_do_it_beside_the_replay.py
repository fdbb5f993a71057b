"""The host's part of a step stands beside the replay, where it runs each time."""

import torch

x = torch.ones(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2

steps = 0
for _ in range(3):
    graph.replay()
    steps += 1
assert steps == 3
