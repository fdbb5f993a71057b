"""The counter is a tensor that the graph itself advances."""

import torch

x = torch.ones(4, device="cuda")
steps = torch.zeros((), dtype=torch.long, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
    steps += 1

for _ in range(3):
    graph.replay()
assert steps.item() == 3
