"""Waiting for the device does not bring work into the graph that was never captured."""

import torch

x = torch.zeros(4, device="cuda")
y = torch.zeros(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    z = x + 1
    with torch.cuda.stream(torch.cuda.default_stream()):
        torch.mul(x, 2, out=y)

x.fill_(3)
graph.replay()
torch.cuda.synchronize()
assert y.tolist() == [6, 6, 6, 6], "the multiplication ran once, during the capture"
