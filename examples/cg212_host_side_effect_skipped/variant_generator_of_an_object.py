"""An augmentation has a random generator of its own, and draws from it in the captured call alone."""

import random

import torch


class Augment:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def __call__(self, x):
        shift = self.random.randrange(4)  # cgsan: CG212
        return torch.roll(x, shift, 0)


x = torch.arange(4.0, device="cuda")
augment, reference = Augment(1), Augment(1)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):  # cgsan: label
    y = augment(x)

replayed, eager = [], []
for _ in range(8):
    graph.replay()
    replayed.append(y[0].item())
    eager.append(reference(x)[0].item())
print("replay", replayed, "eager", eager)
