"""A graph is captured, reset and captured again, and captures share a pool."""

import torch

x = torch.ones(4, device="cuda")
graph = torch.cuda.CUDAGraph()
pool = torch.cuda.graph_pool_handle()
for _ in range(3):
    with torch.cuda.graph(graph, pool=pool):
        y = x + 1
    graph.replay()
    torch.cuda.synchronize()
    graph.reset()
print("done")
