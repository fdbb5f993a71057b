"""Pin before the capture."""

import torch

x = torch.arange(8.0, device="cuda")
host = torch.empty(8, pin_memory=True)
graph = torch.cuda.CUDAGraph()

with torch.cuda.graph(graph):
    host.copy_(x + 1, non_blocking=True)

graph.replay()
torch.cuda.synchronize()
print(host)
