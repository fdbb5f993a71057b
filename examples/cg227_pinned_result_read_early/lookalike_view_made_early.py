"""A view of the pinned result is made before the host waits, and read after it has."""

import torch

batches = [torch.full((4,), float(value), device="cuda") for value in range(1, 5)]
static = torch.zeros(4, device="cuda")
host = torch.zeros(4, pin_memory=True)
done = torch.cuda.Event()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    torch.cuda._sleep(20_000_000)  # stands for a long forward pass
    host.copy_(static * 2, non_blocking=True)

replayed = []
for batch in batches:
    static.copy_(batch)
    graph.replay()
    done.record()
    doubled = host.numpy()
    done.synchronize()
    replayed.append(float(doubled.sum()))
print("replay", replayed, "eager", [2 * batch.sum().item() for batch in batches])
