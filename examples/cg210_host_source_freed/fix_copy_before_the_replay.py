"""The copy from the host stands before the replay, and the graph reads device memory only."""

import torch

static = torch.zeros(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = static * 2

results = []
for value in range(4):
    static.copy_(torch.full((4,), float(value)))
    graph.replay()
    results.append(y.tolist()[0])
assert results == [0, 2, 4, 6]
