"""A set is pooled to one row, in which a smaller set counts what is left of a larger one."""

import torch

torch.manual_seed(0)
weight = torch.randn(5, 3, device="cuda")
elements = torch.zeros(8, 5, device="cuda")


def pool(elements):
    return torch.tanh(elements.relu().mean(0) @ weight)  # cgsan: label


pool(elements)
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    pooled = pool(elements)

replayed, eager = [], []
for count in (8, 3):
    batch = torch.randn(count, 5, device="cuda")
    elements[:count].copy_(batch)  # cgsan: label
    graph.replay()  # cgsan: CG223
    replayed.append(pooled.sum().item())
    eager.append(pool(batch).sum().item())
print("replay", replayed, "eager", eager)
