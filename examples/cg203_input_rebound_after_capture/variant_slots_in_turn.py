"""A loader fills two buffers in turn and has the step use the one that it filled last; the graph reads the first."""

import torch


class Loader:
    def __init__(self):
        self.slots = [torch.zeros(8, device="cuda"), torch.zeros(8, device="cuda")]
        self.turn = 0
        self.current = self.slots[0]

    def load(self, value):
        self.turn ^= 1
        self.current = self.slots[self.turn]  # cgsan: CG203
        self.current.fill_(value)


loader = Loader()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = loader.current * 10  # cgsan: label

replayed, eager = [], []
for number in range(1, 5):
    loader.load(float(number))
    graph.replay()  # cgsan: label
    replayed.append(y[0].item())
    eager.append((loader.current * 10)[0].item())
print("replay", replayed, "eager", eager)
