"""Each result is cloned before the next replay writes the output again."""

import torch

x = torch.zeros(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2

results = []
for value in (1.0, 2.0, 3.0):
    x.fill_(value)
    graph.replay()
    results.append(y.clone())
assert [result[0].item() for result in results] == [2, 4, 6]
