"""New weights are prepared beside those in use, and the two change places; the graph goes on with the first."""

import torch


class Layer:
    def __init__(self):
        self.active = torch.full((8,), 1.0, device="cuda")
        self.shadow = torch.full((8,), 2.0, device="cuda")

    def forward(self, x):
        return x * self.active  # cgsan: label

    def renew(self):
        self.shadow.add_(2)
        self.active, self.shadow = self.shadow, self.active  # cgsan: CG203


layer = Layer()
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = layer.forward(x)

replayed, eager = [], []
for _ in range(4):
    graph.replay()  # cgsan: label
    replayed.append(y[0].item())
    eager.append(layer.forward(x)[0].item())
    layer.renew()
print("replay", replayed, "eager", eager)
