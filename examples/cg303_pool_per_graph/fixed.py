"""The graphs share a pool, and each uses the memory of the first one's temporaries."""

import torch

x = torch.empty(128 << 20, dtype=torch.uint8, device="cuda")
pool = torch.cuda.graph_pool_handle()
graphs = {}
for size in (128, 96, 64):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, pool=pool):
        temporary = x[: size << 20] * 2
        out = temporary[:1].clone()
        del temporary
    graphs[size] = graph, out

for size in (64, 128, 96):
    graph, out = graphs[size]
    graph.replay()
    out.clone()
torch.cuda.synchronize()
