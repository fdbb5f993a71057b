"""The host reads the loss on the device first, which waits for the replay and for its copy."""

import torch

batches = [torch.full((4,), float(value), device="cuda") for value in range(1, 5)]
static = torch.zeros(4, device="cuda")
largest = torch.zeros((), pin_memory=True)


def step():
    torch.cuda._sleep(20_000_000)  # stands for a long forward pass
    largest.copy_(static.max(), non_blocking=True)
    return static.sum()


graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    loss = step()

replayed = []
for batch in batches:
    static.copy_(batch)
    graph.replay()
    replayed.append((loss.item(), largest.item()))
eager = [(batch.sum().item(), batch.max().item()) for batch in batches]
print("replay", replayed, "eager", eager)
