"""The loop takes the next batch under the name of the captured one, which the graph goes on reading."""

import torch

batches = [torch.full((4,), float(value), device="cuda") for value in range(4)]
batch = batches[0]
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = batch * 2  # cgsan: label

replayed, eager = [], []
for number in range(1, 4):
    batch = batches[number]  # cgsan: CG203
    graph.replay()
    replayed.append(y[0].item())
    eager.append((batch * 2)[0].item())
print("replay", replayed, "eager", eager)
