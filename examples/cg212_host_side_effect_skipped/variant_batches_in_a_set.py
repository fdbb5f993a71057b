"""A step adds the number of its batch to a set: no replay adds one."""

import torch

batches = set()


def step(x):
    batches.add(len(batches))  # cgsan: CG212
    return x * 2


x = torch.zeros(3, device="cuda")
step(x)
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):  # cgsan: label
    y = step(x)
for _ in range(4):
    graph.replay()  # cgsan: label
print("noted", len(batches), "made", 6)
