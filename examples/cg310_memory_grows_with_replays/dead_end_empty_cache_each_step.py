"""`empty_cache()` gives back memory that no tensor uses, and each clone in the list uses its own."""

import torch

MIB = 1 << 20
x = torch.ones(1024, 1024, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2

history = []
before = torch.cuda.memory_reserved()
for step in range(40):
    x.fill_(step)
    graph.replay()
    history.append(y.clone())
    torch.cuda.empty_cache()
grown = torch.cuda.memory_reserved() - before
assert grown < 32 * MIB, f"{grown // MIB} MiB"
