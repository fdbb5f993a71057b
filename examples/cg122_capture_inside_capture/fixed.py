"""The function is captured as part of the step."""

import torch

x = torch.ones(8, device="cuda")


def scale(value):
    return value * 2


outer = torch.cuda.CUDAGraph()
with torch.cuda.graph(outer):
    y = scale(x + 1)
outer.replay()
