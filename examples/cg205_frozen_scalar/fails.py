"""A sampler divides by a temperature that the program raises; the graph keeps that of its capture."""

import torch


class Sampler(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.temperature = 1.0

    def forward(self, logits):
        return logits / self.temperature  # cgsan: CG205


sampler = Sampler()
logits = torch.full((4,), 8.0, device="cuda")
for sampler.temperature in (1.0, 2.0):
    sampler(logits)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):  # cgsan: label
    y = sampler(logits)

replayed, eager = [], []
for sampler.temperature in (2.0, 4.0, 8.0):
    graph.replay()
    replayed.append(y[0].item())
    eager.append(sampler(logits)[0].item())
print("replay", replayed, "eager", eager)
