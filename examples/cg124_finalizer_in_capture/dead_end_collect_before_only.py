"""A collection before the capture does not reach a graph that is still referenced then."""

import gc

import torch

x = torch.ones(4, device="cuda")
cache = {"old": torch.cuda.CUDAGraph()}
with torch.cuda.graph(cache["old"]):
    y = x + 1

gc.collect()
new = torch.cuda.CUDAGraph()
with torch.cuda.graph(new):
    cache.clear()
    z = x + 2
new.replay()
