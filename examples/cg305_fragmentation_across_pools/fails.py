"""One pool that meets the smallest graph first: no block of it is large enough for the next."""

import torch

MIB = 1 << 20
pool = torch.cuda.graph_pool_handle()
graphs = []
for size in (200, 300, 400):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, pool=pool):  # cgsan: CG305
        temporary = torch.empty(size * MIB, dtype=torch.uint8, device="cuda").fill_(1)
        output = temporary[: 30 * MIB].clone()
        del temporary
    graphs.append((graph, output))
for graph, output in graphs:
    graph.replay()
    output[:1].clone()
torch.cuda.synchronize()
