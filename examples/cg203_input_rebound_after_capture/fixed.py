"""The loop copies the next batch into the captured one."""

import torch

batches = [torch.full((4,), float(value), device="cuda") for value in range(4)]
batch = batches[0]
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = batch * 2

replayed, eager = [], []
for number in range(1, 4):
    batch.copy_(batches[number])
    graph.replay()
    replayed.append(y[0].item())
    eager.append((batch * 2)[0].item())
print("replay", replayed, "eager", eager)
