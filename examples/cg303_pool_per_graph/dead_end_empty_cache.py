"""`empty_cache()` gives nothing back of a pool whose graph is alive."""

import torch

x = torch.empty(64 << 20, dtype=torch.uint8, device="cuda")
graphs, outputs = [], []
before = torch.cuda.memory_reserved()
for _ in range(3):
    graphs.append(torch.cuda.CUDAGraph())
    with torch.cuda.graph(graphs[-1]):
        temporary = x.clone()
        outputs.append(temporary[:1].clone())
        del temporary
    torch.cuda.empty_cache()
grown = torch.cuda.memory_reserved() - before
assert grown < 2 * (64 << 20), grown
