"""A step counts its calls by a property, whose setter keeps the number."""

import torch


class Meter:
    def __init__(self):
        self._calls = 0

    @property
    def calls(self):
        return self._calls

    @calls.setter
    def calls(self, value):
        self._calls = value  # cgsan: CG212


meter = Meter()


def step(x):
    meter.calls += 1
    return x * 2


x = torch.zeros(3, device="cuda")
step(x)
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):  # cgsan: label
    y = step(x)
for _ in range(4):
    graph.replay()  # cgsan: label
print("counted", meter.calls, "made", 6)
