"""A training step clips its gradient only where it may wait for the device, so never in the graph."""

import torch

weight = torch.zeros(4, device="cuda")
grad = torch.ones(4, device="cuda")


def may_wait():
    return not torch.cuda.is_current_stream_capturing()  # cgsan: CG202


def step():
    if may_wait() and grad.max().item() > 1:
        grad.clamp_(max=1)
    weight.sub_(grad)


step()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    step()

replayed, eager = [], []
for run, results in ((graph.replay, replayed), (step, eager)):
    weight.zero_()
    for value in (1.0, 4.0, 16.0):
        grad.fill_(value)
        run()
        results.append(weight[0].item())
print("replay", replayed, "eager", eager)
