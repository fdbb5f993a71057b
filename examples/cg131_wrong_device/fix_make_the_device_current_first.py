"""The process uses one device, which is current before anything else."""

import torch

torch.cuda.set_device(1)
x = torch.ones(1 << 26, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
x.fill_(3)
graph.replay()
assert y[0].item() == 6
