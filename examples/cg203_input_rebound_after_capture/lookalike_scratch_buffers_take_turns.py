"""A step exchanges two scratch buffers that it fills before it reads them: whose turn it is makes no difference."""

from collections import deque

import torch

scratch = deque(torch.zeros(8, device="cuda") for _ in range(2))
x = torch.zeros(8, device="cuda")


def step():
    torch.mul(x, 2, out=scratch[0])
    torch.add(scratch[0], 1, out=scratch[1])
    y = scratch[0] + scratch[1]
    scratch.rotate(1)
    return y


step()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = step()

replayed, eager = [], []
for number in range(1, 6):
    x.fill_(float(number))
    graph.replay()
    replayed.append(y[0].item())
    eager.append((x * 4 + 1)[0].item())
print("replay", replayed, "eager", eager)
