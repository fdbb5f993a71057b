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


graphs, outputs = {}, {}
for number in range(2):
    step(number)
    graphs[number] = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graphs[number]):
        outputs[number] = step(number)

replayed, eager = [], []
for number in range(4, 8):
    x.fill_(number)
    graphs[number % 2].replay()
    replayed.append(outputs[number % 2][0].item())
    step(number, training=False)
    eager.append(step(number)[0].item())
print("replay", replayed, "eager", eager)
