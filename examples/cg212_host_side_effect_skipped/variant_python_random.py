"""An augmentation draws from Python's random generator once, during the capture."""

import random

import torch

x = torch.ones(4, device="cuda")


def augment(x):
    scale = random.choice((0.5, 2.0, 4.0))  # cgsan: CG212
    return x * scale


random.seed(1)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):  # cgsan: label
    y = augment(x)

replayed, eager = [], []
for _ in range(8):
    graph.replay()
    replayed.append(y[0].item())
    eager.append(augment(x)[0].item())
print("replay", replayed, "eager", eager)
