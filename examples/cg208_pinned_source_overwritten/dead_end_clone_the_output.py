"""Cloning each result keeps it, but the replay had read the wrong input already."""

import torch

buffer = torch.zeros(4, pin_memory=True)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    torch.cuda._sleep(50_000_000)
    y = buffer.to("cuda", non_blocking=True) * 2

results = []
for value in range(4):
    buffer.fill_(value)
    graph.replay()
    results.append(y.clone())
assert [result[0].item() for result in results] == [0, 2, 4, 6]
