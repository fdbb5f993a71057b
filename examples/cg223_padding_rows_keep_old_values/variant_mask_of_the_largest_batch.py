"""A loss is masked, and the mask is still that of the largest batch."""

import torch

x = torch.zeros(8, 5, device="cuda")
mask = torch.zeros(8, device="cuda")
loss = torch.zeros((), device="cuda")


def masked():
    loss.copy_((x.square().mean(1) * mask).sum())  # cgsan: label


masked()
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    masked()

mask.fill_(1)
replayed, eager = [], []
for count in (8, 3):
    batch = torch.full((count, 5), float(count), device="cuda")
    x[:count].copy_(batch)  # cgsan: label
    graph.replay()  # cgsan: CG223
    replayed.append(loss.item())
    eager.append(batch.square().mean(1).sum().item())
print("replay", replayed, "eager", eager)
