"""A block that a warm-up left in the cache is gone: `torch.cuda.graph` empties the cache on entry."""

import torch


def scratch():
    with torch.cuda.stream(torch.cuda.default_stream()):
        return torch.empty(64 << 20, device="cuda")


for _ in range(3):
    scratch()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    scratch()
