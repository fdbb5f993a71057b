"""Names are bound anew all the time, but those of the next batch, of results and of temporaries."""

import torch

batches = [torch.full((4,), float(value), device="cuda") for value in range(4)]
batch = batches[0]
static = batch.clone()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    hidden = static + 1
    y = hidden * 2

replayed, eager = [], []
for number in range(1, 4):
    batch = batches[number]
    static.copy_(batch)
    graph.replay()
    result = y.clone()
    replayed.append(result[0].item())
    hidden = batch + 1
    eager.append((hidden * 2)[0].item())
print("replay", replayed, "eager", eager)
