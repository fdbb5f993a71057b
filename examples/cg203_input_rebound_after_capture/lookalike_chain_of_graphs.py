"""A loop captures layer after layer, and each reads what the one before has appended or named."""

import torch

x = torch.ones(8, device="cuda")
graphs, outputs = [], [x]
named = x
for layer in range(4):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, pool=graphs[0].pool() if graphs else None):
        outputs.append(outputs[-1] + layer)
        named = named * 2
    graphs.append(graph)

for step in range(3):
    x.fill_(step)
    for graph in graphs:
        graph.replay()
    assert outputs[-1].tolist() == [step + 6.0] * 8
    assert named.tolist() == [step * 16.0] * 8
