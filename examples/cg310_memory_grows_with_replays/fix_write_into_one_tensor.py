"""The last outputs are copied into the rows of one tensor, which is allocated before the loop."""

import torch

MIB, ROWS = 1 << 20, 4
x = torch.ones(1024, 1024, device="cuda")
history = torch.zeros(ROWS, 1024, 1024, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2

before = torch.cuda.memory_reserved()
for step in range(40):
    x.fill_(step)
    graph.replay()
    history[step % ROWS].copy_(y)
assert history[:, 0, 0].tolist() == [72, 74, 76, 78]
grown = torch.cuda.memory_reserved() - before
assert grown < 32 * MIB, f"{grown // MIB} MiB"
