"""A step adds up how many samples it has seen in a tensor of the host."""

import torch

total = torch.zeros(1, dtype=torch.int64)


def step(x):
    total.add_(len(x))  # cgsan: CG212
    return x * 2


x = torch.zeros(3, device="cuda")
step(x)
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):  # cgsan: label
    y = step(x)
for _ in range(4):
    graph.replay()  # cgsan: label
print("samples", total.item() // 3, "made", 6)
