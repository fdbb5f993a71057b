"""A graph that is no longer needed gives its pool back when it is reset."""

import torch

x = torch.empty(64 << 20, dtype=torch.uint8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    temporary = x.clone()
    y = temporary[:1].clone()
    del temporary
reserved = torch.cuda.memory_reserved()

graph.reset()
del y
torch.cuda.empty_cache()
assert torch.cuda.memory_reserved() <= reserved - (64 << 20)
