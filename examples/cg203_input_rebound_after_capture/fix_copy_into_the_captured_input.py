"""Every new batch is copied into the tensor that was captured."""

import torch

static = torch.zeros(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = static * 2

results = []
for value in (1.0, 2.0, 3.0):
    batch = torch.full((4,), value, device="cuda")
    static.copy_(batch)
    graph.replay()
    results.append(y.clone())
assert [result[0].item() for result in results] == [2, 4, 6]
