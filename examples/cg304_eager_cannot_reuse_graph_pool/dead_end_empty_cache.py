"""`empty_cache()` keeps the free blocks of a living graph's pool, and eager work allocates anew."""

import torch

x = torch.empty(64 << 20, dtype=torch.uint8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    temporary = x.clone()
    y = temporary[:1].clone()
    del temporary
reserved = torch.cuda.memory_reserved()

torch.cuda.empty_cache()
z = x.clone()
assert torch.cuda.memory_reserved() == reserved, torch.cuda.memory_reserved() - reserved
