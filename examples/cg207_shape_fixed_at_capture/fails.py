"""The last batch is short, and the replay also sums the rows of the batch before."""

import torch

batches = torch.ones(20, 4, device="cuda").split(8)
static = torch.zeros(8, 4, device="cuda")


def total(rows):
    return static[:rows].sum(dim=0)  # cgsan: CG207


for batch in batches:
    total(len(batch))
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):  # cgsan: label
    y = total(len(static))

replayed, eager = [], []
for batch in batches:
    static[: len(batch)].copy_(batch)
    graph.replay()
    replayed.append(y[0].item())
    eager.append(total(len(batch))[0].item())
print("replay", replayed, "eager", eager)
