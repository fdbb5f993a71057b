"""Each call makes the iterator that it goes through, as the one of the warm-up did that is still there."""

import torch


class Tower:
    def __init__(self):
        self.scales = [1.0, 2.0, 3.0]
        self.left = iter(self.scales)
        self.x = torch.ones(4, device="cuda")

    def step(self):
        self.left = iter(self.scales)
        first = self.x * next(self.left)
        for scale in self.left:
            first = first + scale
        return first


tower = Tower()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = tower.step()
for value in range(1, 5):
    tower.x.fill_(value)
    graph.replay()
    assert y[0].item() == value + 5
