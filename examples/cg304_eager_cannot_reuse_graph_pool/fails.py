"""Validation runs eagerly beside a graph whose temporaries would have room for it."""

import torch

x = torch.empty(128 << 20, dtype=torch.uint8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):  # cgsan: label
    temporary = x * 2
    y = temporary[:1].clone()
    del temporary

for _ in range(4):
    graph.replay()
    z = x * 3  # cgsan: CG304
    z[:1].clone()
    del z
torch.cuda.synchronize()
