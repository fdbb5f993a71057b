"""The first result is copied before the next replay, so the difference is one of two results."""

import torch

x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
graph.replay()
first = y.clone()
x.fill_(3.0)
graph.replay()
assert (y - first).tolist() == [4.0] * 8
assert torch.equal(y * y, y.square())
