"""The cache drops its old graph before the new one is captured."""

import torch

x = torch.ones(8, device="cuda")
cache = {}


def capture(key):
    cache.clear()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = x * key
        y = y + 1
    cache[key] = graph


capture(1)
capture(2)
