"""A view of the output is doubled behind each replay, as classifier-free guidance does, and copies of views are put together."""

import torch

x = torch.zeros(2, 4, device="cuda")


def step():
    return x * 2


step()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = step()


def first(value):
    x.fill_(value)
    graph.replay()
    return y[0].clone()


firsts = torch.stack([first(float(it)) for it in range(3)])
print("replay", firsts[:, 0].tolist(), "eager", [0.0, 2.0, 4.0])
for value in (1.0, 2.0, 3.0):
    x.fill_(value)
    graph.replay()
    row = y[1]
    doubled = torch.stack([row, row])
    print("replay", doubled.sum().item(), "eager", 16 * value)
