"""Each step goes deeper than the one before, and none as deep as the capture."""

import torch


class Model:
    def __init__(self):
        self.x = torch.ones(4, device="cuda")
        self.depth = 1

    def __call__(self):
        hidden = self.x
        for _ in range(self.depth):
            hidden = hidden * 2  # cgsan: CG201
        return hidden


model = Model()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = model()

replayed, eager = [], []
for model.depth in (2, 3, 4, 5, 6):
    graph.replay()
    replayed.append(y[0].item())
    eager.append(2.0**model.depth)
print("replay", replayed, "eager", eager)
