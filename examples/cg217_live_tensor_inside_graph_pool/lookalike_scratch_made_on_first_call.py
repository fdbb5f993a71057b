"""The first call makes a scratch tensor that each call fills before it reads it; it is captured, and does no harm."""

import torch


class Norm:
    def __init__(self):
        self.scratch = None

    def __call__(self, x):
        if self.scratch is None:
            self.scratch = torch.zeros_like(x)
        self.scratch.copy_(x)
        self.scratch.square_()
        return self.scratch.sum().sqrt()


norm = Norm()
x = torch.ones(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    length = norm(x)
for value in range(4):
    x.fill_(float(value))
    graph.replay()
    print(length.item())
