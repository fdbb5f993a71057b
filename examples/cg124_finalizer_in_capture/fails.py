"""A cache drops its old graph while the new one is being captured."""

import torch

x = torch.ones(8, device="cuda")
cache = {}


def capture(key):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = x * key
        cache.clear()  # cgsan: CG124
        y = y + 1
    cache[key] = graph


capture(1)
capture(2)
