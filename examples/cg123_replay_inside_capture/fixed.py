"""The two graphs are replayed in turn."""

import torch

x = torch.ones(8, device="cuda")
layer = torch.cuda.CUDAGraph()
with torch.cuda.graph(layer):
    y = x + 1

step = torch.cuda.CUDAGraph()
with torch.cuda.graph(step):
    z = y * 2
layer.replay()
step.replay()
