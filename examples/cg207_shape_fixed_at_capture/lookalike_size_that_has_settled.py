"""The part of the data that counts grows in eager steps; the graph is captured when it is all of it."""

import torch

data = torch.ones(64, device="cuda")
count, graph = 8, None


def total():
    return data[:count].sum() * 2


for turn in range(8):
    if count < 64:
        count *= 2
        y = total()
        continue
    if graph is None:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            y = total()
    graph.replay()
print(y.item())
