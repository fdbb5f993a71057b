"""A copy into pinned memory is a node of the graph: each replay writes the buffer anew."""

import torch

x = torch.zeros(4, device="cuda")
host = torch.empty(4, pin_memory=True)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    host.copy_(x, non_blocking=True)

for value in (1.0, 2.0):
    x.copy_(torch.full((4,), value))
    graph.replay()
    torch.cuda.synchronize()
    assert host.tolist() == [value] * 4
