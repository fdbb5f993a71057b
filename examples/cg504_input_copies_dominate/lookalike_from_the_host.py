"""What comes from the host has to be copied, with a graph and without."""

import torch

batches = [torch.full((1024, 1024), float(step)).pin_memory() for step in range(2)]
static = torch.zeros(1024, 1024, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    total = static.sum()

for step in range(20):
    static.copy_(batches[step % 2], non_blocking=True)
    graph.replay()
    torch.cuda.synchronize()
assert total.item() == 1024 * 1024
