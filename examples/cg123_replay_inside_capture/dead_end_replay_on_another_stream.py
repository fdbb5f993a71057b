"""A replay on another stream runs once, at the capture, and is missing from the new graph."""

import torch

x = torch.ones(8, device="cuda")
layer = torch.cuda.CUDAGraph()
with torch.cuda.graph(layer):
    y = x + 1
layer.replay()
torch.cuda.synchronize()

other = torch.cuda.Stream()
step = torch.cuda.CUDAGraph()
with torch.cuda.graph(step):
    with torch.cuda.stream(other):
        layer.replay()
    z = y * 2
torch.cuda.synchronize()

x.fill_(10)
step.replay()
assert z.tolist() == [22.0] * 8
