"""Each path of the branch has a graph of its own, and a validation takes a third path without a graph."""

import torch

x = torch.zeros(4, device="cuda")


def step(number, training=True):
    y = x + 3
    if not training:
        return y.abs()
    if number % 2 == 0:
        y = y.clamp(max=4)
    return y * 2


for number in range(3):
    step(number)
even, odd = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
with torch.cuda.graph(even):
    clamped = step(0)
with torch.cuda.graph(odd):
    free = step(1)

replayed, eager = [], []
for number in range(4, 8):
    x.fill_(number)
    graph, y = (even, clamped) if number % 2 == 0 else (odd, free)
    graph.replay()
    replayed.append(y[0].item())
    step(number, training=False)
    eager.append(step(number)[0].item())
print("replay", replayed, "eager", eager)
