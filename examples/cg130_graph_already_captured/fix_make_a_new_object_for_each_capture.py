"""A dictionary of graphs by batch size, which share a pool."""

import torch

graphs = {}
pool = torch.cuda.graph_pool_handle()
for size in (8, 4, 2):
    x = torch.ones(size, 16, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, pool=pool):
        y = x + 1
    graphs[size] = (graph, x, y)

for graph, x, y in graphs.values():
    graph.replay()
torch.cuda.synchronize()
