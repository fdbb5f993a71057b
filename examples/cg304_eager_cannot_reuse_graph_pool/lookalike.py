"""The graph's pool has free memory, and the eager work needs one block that is larger than all of it."""

import torch

x = torch.empty(320 << 20, dtype=torch.uint8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    temporary = x[: 80 << 20] * 2
    y = temporary[:1].clone()
    del temporary

for _ in range(4):
    graph.replay()
    z = x * 3
    z[:1].clone()
    del z
torch.cuda.synchronize()
