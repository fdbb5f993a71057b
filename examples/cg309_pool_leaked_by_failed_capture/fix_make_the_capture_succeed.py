"""A capture without the refused call gives its pool back with its graph."""

import torch

torch.zeros(1, device="cuda")
before = torch.cuda.memory_reserved()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    x = torch.empty(64 << 20, dtype=torch.uint8, device="cuda")
    x[:1].fill_(1)
torch.cuda.synchronize()
del graph, x
torch.cuda.empty_cache()
leaked = torch.cuda.memory_reserved() - before
assert leaked < 64 << 20, f"{leaked >> 20} MiB"
