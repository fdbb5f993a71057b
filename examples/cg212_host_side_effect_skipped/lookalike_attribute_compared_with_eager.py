"""A layer keeps its weight of the call; eager code computes the same with the same input before each replay, and the logs keep clones."""

import torch


class Pruned(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.dense = torch.ones(4, 4, device="cuda")
        self.mask = torch.eye(4, device="cuda")
        self.loads = []

    def forward(self, x):
        self.weight = self.dense * self.mask
        self.loads.append(x.sum())
        return x @ self.weight


layer = Pruned()
x = torch.zeros(2, 4, device="cuda")
layer(x)
layer.loads.clear()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = layer(x)
load = layer.loads.pop()
for step in range(3):
    x.fill_(float(step))
    eager = layer(x)
    layer.loads.clear()
    graph.replay()
    layer.loads.append(load.clone())
    print(torch.equal(y, eager), layer.weight.sum().item(), layer.loads.pop().item())
