"""A step copies its loss into pinned memory, and the host reads it while the replay still runs."""

import torch

batches = [torch.full((4,), float(value), device="cuda") for value in range(1, 5)]
static = torch.zeros(4, device="cuda")
host = torch.zeros((), pin_memory=True)


def step():
    torch.cuda._sleep(20_000_000)  # stands for a long forward pass
    loss = static.sum()
    host.copy_(loss, non_blocking=True)  # cgsan: label


graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    step()

replayed = []
for batch in batches:
    static.copy_(batch)
    graph.replay()  # cgsan: label
    replayed.append(host.item())  # cgsan: CG227
print("replay", replayed, "eager", [batch.sum().item() for batch in batches])
