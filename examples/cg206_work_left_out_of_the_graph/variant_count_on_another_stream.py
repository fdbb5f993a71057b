"""How often each class was predicted is counted on another stream, from labels of the host."""

import torch

side = torch.cuda.Stream()
seen = torch.zeros(3, device="cuda")
labels = torch.tensor([0, 1, 1, 2], device="cuda")
ones = torch.ones(4, device="cuda")
x = torch.zeros(4, device="cuda")


def step():
    with torch.cuda.stream(side):
        seen.index_add_(0, labels, ones)  # cgsan: CG206
    return x * 2


step()
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):  # cgsan: label
    y = step()
for value in (1.0, 2.0, 3.0):
    x.fill_(value)
    graph.replay()
torch.cuda.synchronize()
print("seen", seen.tolist(), "of 5 steps", [5.0, 10.0, 5.0])
