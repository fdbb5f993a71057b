"""Layers are skipped by chance at each call; a replay skips those that the capture did."""

import random

import torch
from torch import nn


class Tower(nn.Module):
    def __init__(self, depth, width):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(width, width) for _ in range(depth))

    def forward(self, x):
        for layer in self.layers:
            if random.random() < 0.5:
                x = x + layer(x)  # cgsan: CG201
        return x


@torch.no_grad()
def main():
    random.seed(1)
    torch.manual_seed(1)
    tower = Tower(6, 16).cuda()
    x = torch.randn(2, 16, device="cuda")
    tower(x)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = tower(x)
    sums = set()
    for _ in range(8):
        graph.replay()
        sums.add(round(y.sum().item(), 4))
    print(len(sums), "different results, want more than 1")


main()
