"""The result stays on the device; `item` and a copy that blocks both wait for the replay."""

import torch

x = torch.zeros(4, device="cuda")
host = torch.zeros((), pin_memory=True)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    torch.cuda._sleep(50_000_000)
    y = x.sum()

numbers, copies = [], []
for value in (1.0, 2.0, 3.0):
    x.fill_(value)
    graph.replay()
    numbers.append(y.item())
    x.fill_(-value)
    graph.replay()
    host.copy_(y)
    copies.append(host.item())
assert numbers == [4, 8, 12]
assert copies == [-4, -8, -12]
