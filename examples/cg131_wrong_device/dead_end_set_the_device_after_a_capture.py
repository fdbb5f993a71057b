"""The second capture uses the stream of the first one, which belongs to the first device."""

import torch

a = torch.ones(1 << 26, device="cuda:0")
first = torch.cuda.CUDAGraph()
with torch.cuda.graph(first):
    b = a * 2

torch.cuda.set_device(1)
x = torch.ones(1 << 26, device="cuda:1")
second = torch.cuda.CUDAGraph()
with torch.cuda.graph(second):
    y = x * 2
second.replay()
