"""Two inputs in turn: the next one is filled before the graph of the last one has run."""

import torch

SIZE = 128 << 20
pool = torch.cuda.graph_pool_handle()
slots = []
for _ in range(2):
    static = torch.empty(SIZE, dtype=torch.uint8, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, pool=pool):
        out = static[:1].clone()
    slots.append((graph, static, out))

batch = torch.empty(SIZE, dtype=torch.uint8, device="cuda")
slots[0][1].copy_(batch)
for step in range(4):
    graph, _, out = slots[step % 2]
    slots[(step + 1) % 2][1].copy_(batch)
    graph.replay()
    out.clone()
torch.cuda.synchronize()
