"""The graph is replayed on a side stream, and the host waits for its current stream only."""

import torch

batches = [torch.full((4,), float(value), device="cuda") for value in range(1, 5)]
static = torch.zeros(4, device="cuda")
host = torch.zeros((), pin_memory=True)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    torch.cuda._sleep(20_000_000)  # stands for a long forward pass
    host.copy_(static.sum(), non_blocking=True)  # cgsan: label

side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
replayed = []
for batch in batches:
    with torch.cuda.stream(side):
        static.copy_(batch)
        graph.replay()  # cgsan: label
    torch.cuda.current_stream().synchronize()
    replayed.append(host.item())  # cgsan: CG227
print("replay", replayed, "eager", [batch.sum().item() for batch in batches])
