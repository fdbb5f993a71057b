"""Every other step decays the sum, by a counter that the caller moves on; a replay repeats the step of the capture."""

import torch


class Accumulator:
    def __init__(self):
        self.step = 0
        self.total = torch.zeros(4, device="cuda")

    def add(self, x):
        if self.step % 2 == 1:
            self.total.mul_(0.5)  # cgsan: CG201
        self.total.add_(x)


accumulator = Accumulator()
x = torch.ones(4, device="cuda")
accumulator.add(x)
torch.cuda.synchronize()
accumulator.total.zero_()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    accumulator.add(x)
accumulator.total.zero_()
for step in range(6):
    accumulator.step = step
    graph.replay()
print(accumulator.total[0].item(), "want 2.65625")
