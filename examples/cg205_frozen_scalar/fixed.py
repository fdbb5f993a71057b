"""The temperature is a tensor on the device, and is filled before each replay."""

import torch


class Sampler(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.temperature = torch.ones((), device="cuda")

    def forward(self, logits):
        return logits / self.temperature


sampler = Sampler()
logits = torch.full((4,), 8.0, device="cuda")
for value in (1.0, 2.0):
    sampler.temperature.fill_(value)
    sampler(logits)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = sampler(logits)

replayed, eager = [], []
for value in (2.0, 4.0, 8.0):
    sampler.temperature.fill_(value)
    graph.replay()
    replayed.append(y[0].item())
    eager.append(sampler(logits)[0].item())
print("replay", replayed, "eager", eager)
