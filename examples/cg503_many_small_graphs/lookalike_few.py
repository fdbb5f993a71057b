"""A step of three graphs."""

import torch

x = torch.zeros(16, device="cuda")
graphs = []
for _ in range(3):
    graphs.append(torch.cuda.CUDAGraph())
    with torch.cuda.graph(graphs[-1], pool=graphs[0].pool() if graphs[1:] else None):
        x.add_(1)

for _ in range(10):
    for graph in graphs:
        graph.replay()
assert x.tolist() == [30.0] * 16
