"""The library counts on the stream of its caller, which is the one that captures."""

import torch


class Statistics:
    def __init__(self):
        self.total = torch.zeros(4, device="cuda")

    def update(self, x):
        self.total.add_(x)


def step():
    statistics.update(x)
    return x * 2


x = torch.zeros(4, device="cuda")
statistics = Statistics()
step()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = step()

replayed, eager = [], []
for run, results in ((graph.replay, replayed), (step, eager)):
    statistics.total.zero_()
    for value in (1.0, 2.0, 3.0):
        x.fill_(value)
        run()
        results.append(statistics.total[0].item())
print("replay", replayed, "eager", eager)
