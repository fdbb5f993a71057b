"""Batches go through one pinned buffer, which the host refills while the replays are queued."""

import torch

batches = [torch.full((4,), float(value)) for value in range(4)]
staging = torch.zeros(4, pin_memory=True)
static = torch.zeros(4, device="cuda")


def step():
    static.copy_(staging, non_blocking=True)
    torch.cuda._sleep(20_000_000)  # stands for a long forward pass
    return static * 2


graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = step()

outputs = []
for batch in batches:
    staging.copy_(batch)  # cgsan: CG208
    graph.replay()  # cgsan: label
    outputs.append(y.clone())
replayed = [output[0].item() for output in outputs]
print("replay", replayed, "eager", [(batch * 2)[0].item() for batch in batches])
