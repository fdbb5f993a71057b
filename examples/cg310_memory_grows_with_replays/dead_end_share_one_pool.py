"""Graphs that share a pool save memory of their own; what is allocated beside the replays lies elsewhere."""

import torch

MIB = 1 << 20
x = torch.ones(1024, 1024, device="cuda")
pool = torch.cuda.graph_pool_handle()
doubling, adding = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
with torch.cuda.graph(doubling, pool=pool):
    doubled = x * 2
with torch.cuda.graph(adding, pool=pool):
    y = doubled + 1

history = []
before = torch.cuda.memory_reserved()
for step in range(40):
    x.fill_(step)
    doubling.replay()
    adding.replay()
    history.append(y.clone())
grown = torch.cuda.memory_reserved() - before
assert grown < 32 * MIB, f"{grown // MIB} MiB"
