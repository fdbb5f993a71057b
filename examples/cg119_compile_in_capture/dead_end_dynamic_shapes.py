"""`dynamic=True` saves later compilations; the first one still falls into the capture."""

import os

os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"

import torch


@torch.compile(dynamic=True)
def f(x):
    return x**2 + 3 * x + 5


x = torch.randn(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    f(x)
