"""Layers leave losses in a list that each forward pass empties first and adds up in the end: the graph has all of it."""

import torch
from torch import nn

losses = []


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(4))
        self.seen = []

    def forward(self, x):
        self.seen = []
        self.seen.append(x.mean())
        losses.append(self.seen[-1] * 2)
        return x * self.scale


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(Layer() for _ in range(2))

    def forward(self, x):
        losses.clear()
        for layer in self.layers:
            x = layer(x)
        return torch.stack(losses).sum()


net = Net().cuda().requires_grad_(False)
x = torch.zeros(4, device="cuda")
net(x)
losses.clear()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = net(x)
losses.clear()
replayed, eager = [], []
for value in (1.0, 2.0, 3.0, 4.0):
    x.fill_(value)
    graph.replay()
    replayed.append(y.item())
    eager.append(value * 4)
print("replay", replayed, "eager", eager)
