"""The latest values get a tensor of their own for each epoch, and a list keeps the old one. The graph goes on writing into that."""

import torch


class Statistics:
    def __init__(self):
        self.latest = torch.zeros(4, device="cuda")
        self.epochs = []

    def renew(self):
        self.epochs.append(self.latest)
        self.latest = self.latest.clone()  # cgsan: CG203


statistics = Statistics()
x = torch.zeros(4, device="cuda")


def step():
    statistics.latest.copy_(x * 2)  # cgsan: label


step()
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    step()
replayed = []
for number in (1.0, 2.0, 3.0):
    if number == 2.0:
        statistics.renew()
    x.fill_(number)
    graph.replay()  # cgsan: label
    replayed.append(statistics.latest.sum().item())  # cgsan: label
print("replay", replayed, "eager", [8.0, 16.0, 24.0])
