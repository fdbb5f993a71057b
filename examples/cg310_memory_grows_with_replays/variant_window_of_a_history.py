"""Now and then the mean of the last eight outputs is taken, and all that came before them are kept as well."""

import torch


class Encoder:
    def __init__(self):
        self.x = torch.ones(1024, 1024, device="cuda")
        self.history = []
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.y = self.x * 2

    def step(self, value):
        self.x.fill_(value)
        self.graph.replay()  # cgsan: label
        self.history.append(self.y.clone())  # cgsan: CG310

    def recent(self):
        return torch.stack([output.mean() for output in self.history[-8:]]).mean().item()


encoder = Encoder()
means = []
for number in range(60):
    encoder.step(float(number))
    if number % 10 == 9:
        means.append(encoder.recent())
print("means", means)
