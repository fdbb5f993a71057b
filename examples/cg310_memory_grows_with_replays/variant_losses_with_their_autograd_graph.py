"""A validation without `no_grad` keeps each loss, and each loss keeps what its backward would need."""

import torch

x = torch.ones(1024, 1024, device="cuda")
bias = torch.zeros(1024, device="cuda", requires_grad=True)
graph = torch.cuda.CUDAGraph()
with torch.no_grad(), torch.cuda.graph(graph):
    features = x * 2

losses = []
for step in range(40):
    x.fill_(step)
    graph.replay()  # cgsan: label
    logits = features + bias  # cgsan: CG310
    losses.append(logits.square().mean())
print("losses", len(losses), "last", losses[-1].item())
