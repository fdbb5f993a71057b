"""The rows behind a short batch are filled with zeros, which the sum leaves as it is."""

import torch

batches = torch.ones(20, 4, device="cuda").split(8)
static = torch.zeros(8, 4, device="cuda")


def total():
    return static.sum(dim=0)


total()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = total()

replayed, eager = [], []
for batch in batches:
    static[: len(batch)].copy_(batch)
    static[len(batch) :].zero_()
    graph.replay()
    replayed.append(y[0].item())
    eager.append(batch.sum(dim=0)[0].item())
print("replay", replayed, "eager", eager)
