"""`detach` makes another tensor of the same memory."""

import torch

x = torch.zeros(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2

results = []
for value in (1.0, 2.0, 3.0):
    x.fill_(value)
    graph.replay()
    results.append(y.detach())
assert len({result.data_ptr() for result in results}) == 3, "all results are one memory"
