"""A draft model is replayed, and target models of the same class, with other settings, run eagerly beside it."""

import torch


class Model:
    def __init__(self, centers, rounds=1):
        self.centers = centers
        self.rounds = rounds

    def __call__(self, x):
        for _ in range(self.rounds):
            x = x * 2
        if self.centers:
            x = x - x.mean()
        return torch.relu(x)


draft, targets = Model(False), (Model(True, 2), Model(False, 3))
x = torch.ones(4, device="cuda")
draft(x)
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = draft(x)
replayed, eager = [], []
for number in range(6):
    x.fill_(number)
    graph.replay()
    replayed.append(y.sum().item())
    targets[number % 2](x)
    eager.append(draft(x).sum().item())
print("replay", replayed, "eager", eager)
