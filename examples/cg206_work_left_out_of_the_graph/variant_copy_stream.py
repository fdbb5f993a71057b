"""A loader copies the batch on a stream of its own, which was never forked from the capture."""

import torch

source = torch.zeros(4, device="cuda")
static = torch.zeros(4, device="cuda")
loader = torch.cuda.Stream()


def load():
    with torch.cuda.stream(loader):
        static.copy_(source)  # cgsan: CG206


def step():
    load()
    return static * 2


torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):  # cgsan: label
    y = step()

replayed, eager = [], []
for value in (1.0, 2.0, 3.0):
    source.fill_(value)
    torch.cuda.synchronize()
    graph.replay()
    replayed.append(y[0].item())
for value in (1.0, 2.0, 3.0):
    source.fill_(value)
    torch.cuda.synchronize()
    load()
    torch.cuda.synchronize()
    eager.append((static * 2)[0].item())
print("replay", replayed, "eager", eager)
