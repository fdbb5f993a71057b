"""State that a graph reads is advanced in place, so that its address stays."""

import torch

position = torch.zeros(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = position * 2

results = []
for _ in range(3):
    position += 1
    graph.replay()
    results.append(y.clone())
assert [result[0].item() for result in results] == [2, 4, 6]
