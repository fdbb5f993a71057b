"""The temperature of a sampler is an attribute, which changes after the capture; no eager call has shown it to change."""

import torch


class Sampler:
    def __init__(self):
        self.temperature = 1.0

    def __call__(self, logits):
        return torch.softmax(logits / self.temperature, -1)  # cgsan: CG205


sampler = Sampler()
logits = torch.arange(4.0, device="cuda")
sampler(logits)
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    probabilities = sampler(logits)
largest = []
for temperature in (1.0, 0.5, 2.0):
    sampler.temperature = temperature
    graph.replay()  # cgsan: label
    largest.append(round(probabilities[-1].item(), 3))
print(largest, "want [0.644, 0.865, 0.455]")
