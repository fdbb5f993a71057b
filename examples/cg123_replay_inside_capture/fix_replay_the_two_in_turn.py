"""Replay the two in turn."""

import torch

x = torch.ones(1, device="cuda")
first = torch.cuda.CUDAGraph()
second = torch.cuda.CUDAGraph()

with torch.cuda.graph(first):
    y = x + 1
with torch.cuda.graph(second):
    z = y * 2

first.replay()
second.replay()
print(z.item())
