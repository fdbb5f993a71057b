"""A region takes a buffer to work in from the front of a pool and puts it back at the end: the graph keeps the one of the capture, and any
will do. Others are turned and turned back, or sorted once."""

from collections import deque

import torch

pool = deque(torch.empty(4, device="cuda") for _ in range(3))
weights = deque(torch.full((4,), float(it), device="cuda") for it in range(1, 4))
ordered = [torch.full((4,), float(it), device="cuda") for it in (3, 1, 2)]


def step(x):
    scratch = pool.popleft()
    scratch.copy_(x * 2)
    for _ in range(len(weights)):
        scratch.mul_(weights[0])
        weights.rotate(1)
    ordered.sort(key=id)
    scratch.add_(torch.stack(ordered).sum(0))
    result = scratch + 1
    pool.append(scratch)
    return result


x = torch.ones(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = step(x)
replayed, eager = [], []
for value in range(4):
    x.fill_(value)
    graph.replay()
    replayed.append(y.tolist())
for value in range(4):
    eager.append(step(x.fill_(value)).tolist())
print("replay", replayed, "eager", eager)
