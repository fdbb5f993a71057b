"""A module counts the samples it has seen, in Python, which no replay runs."""

import torch


class Meter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.seen = 0

    def forward(self, x):
        self.seen += len(x)  # cgsan: CG212
        return x * 2


x = torch.ones(4, device="cuda")
meter, reference = Meter(), Meter()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):  # cgsan: label
    y = meter(x)
meter.seen = 0
for _ in range(3):
    graph.replay()
    reference(x)
print("replay", [meter.seen], "eager", [reference.seen])
