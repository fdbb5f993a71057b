"""Batches of the captured size are replayed, and short ones run without a graph."""

import torch

batches = torch.ones(20, 4, device="cuda").split(8)
static = torch.zeros(8, 4, device="cuda")


def total(rows):
    return static[:rows].sum(dim=0)


for batch in batches:
    total(len(batch))
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = total(len(static))

replayed, eager = [], []
for batch in batches:
    static[: len(batch)].copy_(batch)
    if len(batch) == len(static):
        graph.replay()
        replayed.append(y[0].item())
    else:
        replayed.append(total(len(batch))[0].item())
    eager.append(batch.sum(dim=0)[0].item())
print("replay", replayed, "eager", eager)
