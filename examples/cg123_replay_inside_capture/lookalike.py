"""A graph is replayed right before another is captured, on the same stream."""

import torch

x = torch.ones(8, device="cuda")
stream = torch.cuda.Stream()
layer = torch.cuda.CUDAGraph()
with torch.cuda.graph(layer, stream=stream):
    y = x + 1

with torch.cuda.stream(stream):
    layer.replay()
step = torch.cuda.CUDAGraph()
with torch.cuda.graph(step, stream=stream):
    z = y * 2
step.replay()
