"""A step that is being captured calls a function that captures a graph of its own on first use."""

import torch

x = torch.ones(8, device="cuda")
inner = torch.cuda.CUDAGraph()


def cached_scale(value):
    with torch.cuda.graph(inner):  # cgsan: CG122
        scaled = value * 2
    return scaled


outer = torch.cuda.CUDAGraph()
with torch.cuda.graph(outer):
    y = cached_scale(x + 1)
outer.replay()
