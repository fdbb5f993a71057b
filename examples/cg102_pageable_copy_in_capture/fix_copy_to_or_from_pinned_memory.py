"""Copy to or from pinned memory that outlives the graph."""

import torch

x = torch.arange(4.0, device="cuda")
host = torch.empty(4, pin_memory=True)
graph = torch.cuda.CUDAGraph()

with torch.cuda.graph(graph):
    host.copy_(x * 2, non_blocking=True)

graph.replay()
torch.cuda.synchronize()
print(host)
