"""Two graphs of one pool are captured one after the other."""

import torch

x = torch.ones(8, device="cuda")
first = torch.cuda.CUDAGraph()
with torch.cuda.graph(first):
    y = x + 1
second = torch.cuda.CUDAGraph()
with torch.cuda.graph(second, pool=first.pool()):
    z = y * 2
first.replay()
second.replay()
