"""Coefficients are drawn at the first call, which is that of the capture, and kept for all others."""

import random

import torch


class Noise:
    coefficients = None

    def __call__(self, x):
        if self.coefficients is None:
            self.coefficients = [random.random() for _ in range(2)]
        first, second = self.coefficients
        return x * first + second


noise = Noise()
x = torch.zeros(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = noise(x)
replayed, eager = [], []
for value in range(4):
    x.fill_(value)
    graph.replay()
    replayed.append(y[0].item())
    eager.append(noise(x)[0].item())
print("replay", replayed, "eager", eager)
