"""Work captured into the same pool reuses what the first graph's temporaries left."""

import torch

x = torch.empty(64 << 20, dtype=torch.uint8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    temporary = x.clone()
    y = temporary[:1].clone()
    del temporary
reserved = torch.cuda.memory_reserved()

rest = torch.cuda.CUDAGraph()
with torch.cuda.graph(rest, pool=graph.pool()):
    z = x.clone()
assert torch.cuda.memory_reserved() == reserved
