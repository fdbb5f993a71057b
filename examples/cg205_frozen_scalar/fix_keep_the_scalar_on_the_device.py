"""The number lives in a tensor on the device and is filled before each replay."""

import torch

x = torch.full((4,), 2.0, device="cuda")
scale = torch.ones((), device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * scale

results = []
for value in (1.0, 2.0, 3.0):
    scale.fill_(value)
    graph.replay()
    results.append(y.clone())
assert [result[0].item() for result in results] == [2, 4, 6]
