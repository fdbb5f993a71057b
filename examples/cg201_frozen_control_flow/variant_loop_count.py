"""A module refines its input more often as training goes on; the graph holds the rounds of its capture."""

import torch


class Refine(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.rounds = 1

    def forward(self, x):
        for _ in range(self.rounds):
            x = x * 2  # cgsan: CG201
        return x


model = Refine()
x = torch.ones(4, device="cuda")
for model.rounds in (1, 2):
    model(x)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):  # cgsan: label
    y = model(x)

replayed, eager = [], []
for model.rounds in (2, 3, 4):
    graph.replay()
    replayed.append(y[0].item())
    eager.append(model(x)[0].item())
print("replay", replayed, "eager", eager)
