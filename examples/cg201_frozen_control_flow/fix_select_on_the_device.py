"""Both branches are in the graph, and a value on the device picks one at each replay."""

import torch

x = torch.full((4,), 3.0, device="cuda")
even = torch.zeros((), dtype=torch.bool, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = torch.where(even, x + 1, x - 1)

results = []
for step in range(4):
    even.fill_(step % 2 == 0)
    graph.replay()
    results.append(y.clone())
assert [result[0].item() for result in results] == [4, 2, 4, 2]
