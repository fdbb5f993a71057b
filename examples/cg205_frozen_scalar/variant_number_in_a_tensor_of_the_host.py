"""The noise level of each step is a number in a tensor of the host; the graph has that of its capture."""

import torch

levels = torch.linspace(1, 0, 5)
x = torch.ones(4, device="cuda")
y = torch.zeros(4, device="cuda")


class Sampler:
    number = 0

    def step(self):
        y.copy_(x * levels[self.number])  # cgsan: CG205


sampler = Sampler()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):  # cgsan: label
    sampler.step()

replayed, eager = [], []
for sampler.number in range(4):
    graph.replay()  # cgsan: label
    replayed.append(y[0].item())
    eager.append(levels[sampler.number].item())
print("replay", replayed, "eager", eager)
