"""An eager call with more rows makes the scratch tensor larger, and another name keeps the old one. Each call fills it before it reads it."""

import torch


class Model:
    def __init__(self):
        self.scratch = torch.zeros(4, 2, device="cuda")
        self.old = None

    def forward(self, x):
        if self.scratch.shape[0] < x.shape[0]:
            self.old = self.scratch
            self.scratch = torch.zeros_like(x)
        rows = self.scratch[: x.shape[0]]
        rows.copy_(x)
        return rows * 2


model = Model()
x = torch.zeros(4, 2, device="cuda")
model.forward(x)
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = model.forward(x)
replayed, eager = [], []
for number in (1.0, 2.0, 3.0, 4.0):
    x.fill_(number)
    graph.replay()
    replayed.append(y.sum().item())
    eager.append(
        model.forward(torch.full((8 if number > 1 else 4, 2), number, device="cuda"))[:4]
        .sum()
        .item()
    )
print("replay", replayed, "eager", eager)
