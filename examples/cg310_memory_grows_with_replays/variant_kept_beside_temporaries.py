"""A running sum of losses keeps what the backward of each would need; the line that computes a loss has temporaries as well."""

import torch

x = torch.ones(1024, 1024, device="cuda")
bias = torch.zeros(1024, device="cuda", requires_grad=True)
graph = torch.cuda.CUDAGraph()
with torch.no_grad(), torch.cuda.graph(graph):
    features = x * 2

total = torch.zeros((), device="cuda")
for step in range(40):
    x.fill_(step)
    graph.replay()  # cgsan: label
    loss = (features + bias).square().mean()  # cgsan: CG310
    total = total + loss
print("total", total.item())
