"""Losses are summed up for a log. The sum begins as a copy of the first loss, and the output is scaled in place before it is added."""

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
    loss *= 2
    if total is None:
        total = loss.clone()
    else:
        total += loss
eager = 2 * sum(model(it).square().mean() for it in batches)
assert torch.allclose(total, eager), (total, eager)
