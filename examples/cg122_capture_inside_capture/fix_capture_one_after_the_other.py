"""Two graphs of one pool are captured and replayed one after the other."""

import torch

a = torch.ones(64, device="cuda")
first = torch.cuda.CUDAGraph()
second = torch.cuda.CUDAGraph()
with torch.cuda.graph(first):
    b = a + 1
with torch.cuda.graph(second, pool=first.pool()):
    c = b * 2

first.replay()
second.replay()
