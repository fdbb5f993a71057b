"""Each value travels in pinned memory of its own, and the copy stands before the replay, not inside."""

import torch

static = torch.zeros(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    torch.cuda._sleep(50_000_000)
    y = static * 2

results = []
for value in range(4):
    batch = torch.full((4,), float(value), pin_memory=True)
    static.copy_(batch, non_blocking=True)
    graph.replay()
    results.append(y.clone())
assert [result[0].item() for result in results] == [0, 2, 4, 6]
