"""The function asks nobody whether a capture is running, so that both do the same work."""

import torch

x = torch.zeros(4, device="cuda")


def step():
    return x * 2 + 1


for _ in range(3):
    step()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = step()

x.fill_(3)
graph.replay()
assert torch.equal(y, step())
