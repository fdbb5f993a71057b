"""The clone is made by the host at once, of what the replay has yet to write."""

import torch

x = torch.zeros(4, device="cuda")
host = torch.zeros((), pin_memory=True)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    torch.cuda._sleep(50_000_000)
    host.copy_(x.sum(), non_blocking=True)

results = []
for value in (1.0, 2.0, 3.0):
    x.fill_(value)
    graph.replay()
    results.append(host.clone())
torch.cuda.synchronize()
assert [result.item() for result in results] == [4, 8, 12]
