"""Losses are summed up for a log. The sum begins as the first loss, which is the graph's memory; later ones are added to it in place."""

import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1).cuda().requires_grad_(False)
batch = torch.zeros(8, 4, device="cuda")
model(batch)
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    loss = model(batch).square().mean()

batches = torch.randn(4, 8, 4, device="cuda")
total = None
for it in batches:
    batch.copy_(it)
    graph.replay()
    if total is None:
        total = loss
    else:
        total += loss  # cgsan: CG211
eager = sum(model(it).square().mean() for it in batches)
print("replay", total.item(), "eager", eager.item())
