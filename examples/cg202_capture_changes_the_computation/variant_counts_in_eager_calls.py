"""A module counts its calls on the GPU, but not while it is captured: no replay counts."""

import torch

calls = torch.zeros((), device="cuda")


def step(x):
    if not torch.cuda.is_current_stream_capturing():  # cgsan: CG202
        calls.add_(1)  # cgsan: label
    return x * 2


x = torch.ones(4, device="cuda")
step(x)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = step(x)

replayed, eager = [], []
for run, results in ((graph.replay, replayed), (lambda: step(x), eager)):
    calls.zero_()
    for _ in range(3):
        run()
        results.append(calls.item())
print("replay", replayed, "eager", eager)
