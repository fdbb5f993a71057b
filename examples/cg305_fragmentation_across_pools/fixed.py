"""The largest graph comes first, and the others find room in its block."""

import torch

MIB = 1 << 20
pool = torch.cuda.graph_pool_handle()
graphs = []
for size in (400, 300, 200):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, pool=pool):
        temporary = torch.empty(size * MIB, dtype=torch.uint8, device="cuda").fill_(1)
        output = temporary[: 30 * MIB].clone()
        del temporary
    graphs.append((graph, output))
for graph, output in graphs:
    graph.replay()
    output[:1].clone()
torch.cuda.synchronize()
