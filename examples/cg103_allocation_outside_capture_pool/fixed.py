"""The memory is there before the capture begins."""

import torch

x = torch.ones(8, device="cuda")
scratch = torch.empty(64 << 20, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x + 1
    z = y * 2
graph.replay()
