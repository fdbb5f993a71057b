"""A step that is being captured replays a graph."""

import torch

x = torch.ones(8, device="cuda")
layer = torch.cuda.CUDAGraph()
with torch.cuda.graph(layer):
    y = x + 1

step = torch.cuda.CUDAGraph()
with torch.cuda.graph(step):
    layer.replay()  # cgsan: CG123
    z = y * 2
step.replay()
