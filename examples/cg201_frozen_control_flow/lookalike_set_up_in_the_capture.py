"""The capture makes tables that a step only reads, and notes that they are there: no replay does anything else."""

import torch


class Rotary:
    def __init__(self, width):
        self.width = width
        self.tables = None

    def angles(self, length):
        if self.tables is None:
            rates = 1.0 / 10.0 ** torch.arange(self.width, device="cuda")
            places = torch.arange(length, device="cuda")
            angles = places[:, None] * rates
            self.tables = angles.cos(), angles.sin()
        return self.tables

    def __call__(self, x):
        cosines, sines = self.angles(x.size(0))
        return x * cosines + x.flip(1) * sines


rotary = Rotary(8)
x = torch.ones(4, 8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = rotary(x)
for value in range(4):
    x.fill_(float(value))
    graph.replay()
    print(round(y.sum().item(), 3))
