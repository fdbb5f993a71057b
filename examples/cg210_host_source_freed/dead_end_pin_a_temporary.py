"""A temporary that is pinned inside the capture is made once; every replay copies its old value."""

import torch


def step(value):
    return torch.tensor([float(value)]).pin_memory().to("cuda", non_blocking=True) * 2


graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = step(3)

results = []
for _ in range(4):
    graph.replay()
    results.append(y.item())
assert results == [0, 2, 4, 6], "no line of `step` runs at a replay"
