"""The host asks for a number that the device has yet to compute."""

import torch

x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    total = x.sum()
    share = x / float(total)  # cgsan: CG101
graph.replay()
