"""A step clips its input every second time; the graph holds the path of its capture."""

import torch

x = torch.zeros(4, device="cuda")


def step(number):
    y = x + 3
    if number % 2 == 0:
        y = y.clamp(max=4)  # cgsan: CG201
    return y * 2


for number in range(3):
    step(number)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):  # cgsan: label
    y = step(4)

replayed, eager = [], []
for number in range(4, 8):
    x.fill_(number)
    graph.replay()
    replayed.append(y[0].item())
    eager.append(step(number)[0].item())
print("replay", replayed, "eager", eager)
