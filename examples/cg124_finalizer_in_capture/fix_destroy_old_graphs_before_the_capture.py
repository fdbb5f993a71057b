"""Destroy old graphs before the capture."""

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
    y = x + 2

new.replay()
