"""The host waits for an event that is recorded after the replay, and then reads the loss."""

import torch

batches = [torch.full((4,), float(value), device="cuda") for value in range(1, 5)]
static = torch.zeros(4, device="cuda")
host = torch.zeros((), pin_memory=True)
done = torch.cuda.Event()


def step():
    torch.cuda._sleep(20_000_000)  # stands for a long forward pass
    loss = static.sum()
    host.copy_(loss, non_blocking=True)


graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    step()

replayed = []
for batch in batches:
    static.copy_(batch)
    graph.replay()
    done.record()
    done.synchronize()
    replayed.append(host.item())
print("replay", replayed, "eager", [batch.sum().item() for batch in batches])
