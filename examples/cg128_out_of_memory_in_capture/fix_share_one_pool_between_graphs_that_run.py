"""Share one pool between graphs that run in turn."""

import torch

x = torch.randn(1 << 18, device="cuda")
pool = torch.cuda.graph_pool_handle()
first = torch.cuda.CUDAGraph()
second = torch.cuda.CUDAGraph()

with torch.cuda.graph(first, pool=pool):
    y = x * 2
with torch.cuda.graph(second, pool=pool):
    z = y + 1

first.replay()
second.replay()
