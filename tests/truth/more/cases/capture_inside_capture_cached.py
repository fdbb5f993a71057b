import functools
import torch


@functools.lru_cache
def graphed(n):
    x = torch.ones(n, device="cuda")
    g = torch.cuda.CUDAGraph()
    with torch.cuda.graph(g):
        y = x * 2
    return g, y


outer = torch.cuda.CUDAGraph()
base = torch.ones(4, device="cuda")
with torch.cuda.graph(outer):
    z = base + 1
    graphed(4)
