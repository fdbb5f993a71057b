"""The pool grows with each graph because the outputs do, and these are kept."""

import torch

MIB = 1 << 20
pool = torch.cuda.graph_pool_handle()
graphs = []
for size in (200, 300, 400):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, pool=pool):
        output = torch.empty(size * MIB, dtype=torch.uint8, device="cuda").fill_(1)
    graphs.append((graph, output))
for graph, output in graphs:
    graph.replay()
    output[:1].clone()
torch.cuda.synchronize()
