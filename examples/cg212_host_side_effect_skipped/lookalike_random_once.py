"""A shift is drawn once, at the first call, and a scale before each replay; what is drawn besides is the input's."""

import random

import torch


class Shifted:
    def __init__(self):
        self.shift = None
        self.scale = torch.ones((), device="cuda")

    def forward(self, x):
        if self.shift is None:
            self.shift = random.randrange(4)
        return torch.roll(x, self.shift, 0) * self.scale


random.seed(1)
x = torch.zeros(4, device="cuda")
shifted = Shifted()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = shifted.forward(x)

replayed, eager = [], []
for _ in range(4):
    x.fill_(random.random())
    shifted.scale.fill_(random.choice((0.5, 2.0)))
    graph.replay()
    replayed.append(y[0].item())
    eager.append(shifted.forward(x)[0].item())
print("replay", replayed, "eager", eager)
