"""The old graph is reset, and garbage collected, before the new one is captured."""

import gc

import torch

x = torch.ones(4, device="cuda")
old = torch.cuda.CUDAGraph()
with torch.cuda.graph(old):
    y = x + 1

old.reset()
del old
gc.collect()

new = torch.cuda.CUDAGraph()
with torch.cuda.graph(new):
    z = x + 2
new.replay()
