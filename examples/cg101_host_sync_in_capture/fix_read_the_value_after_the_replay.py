"""The value is read after the replay that computes it."""

import torch

x = torch.zeros(1, device="cuda")
total = torch.empty(1, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    total.copy_(x)

for expected in (3.0, 5.0):
    x.copy_(torch.full((1,), expected))
    graph.replay()
    assert total.item() == expected
