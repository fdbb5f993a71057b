"""An event is recorded after the replay; the host waits for it, then reads the pinned result."""

import torch

x = torch.zeros(4, device="cuda")
host = torch.zeros((), pin_memory=True)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    torch.cuda._sleep(50_000_000)
    host.copy_(x.sum(), non_blocking=True)

done = torch.cuda.Event()
results = []
for value in (1.0, 2.0, 3.0):
    x.fill_(value)
    graph.replay()
    done.record()
    done.synchronize()
    results.append(host.item())
assert results == [4, 8, 12]
