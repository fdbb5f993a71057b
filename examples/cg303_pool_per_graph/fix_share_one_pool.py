"""Graphs that replay in the order of their capture can share a pool and reuse each other's temporaries."""

import torch

x = torch.empty(64 << 20, dtype=torch.uint8, device="cuda")
pool = torch.cuda.graph_pool_handle()
graphs, outputs = [], []
before = torch.cuda.memory_reserved()
for _ in range(3):
    graphs.append(torch.cuda.CUDAGraph())
    with torch.cuda.graph(graphs[-1], pool=pool):
        temporary = x.clone()
        outputs.append(temporary[:1].clone())
        del temporary
grown = torch.cuda.memory_reserved() - before
assert grown < 2 * (64 << 20), grown
