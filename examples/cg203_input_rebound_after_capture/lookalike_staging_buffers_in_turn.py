"""Two staging buffers take turns under one name, and each is copied into the tensor that the graph reads; some steps repeat one."""

import torch


class Loader:
    def __init__(self):
        self.staged = [torch.zeros(8, device="cuda"), torch.zeros(8, device="cuda")]
        self.static = torch.zeros(8, device="cuda")
        self.batch = self.static

    def load(self, number):
        self.batch = self.staged[number % 2]
        self.batch.fill_(float(number))
        self.static.copy_(self.batch)


loader = Loader()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = loader.batch * 10

replayed, eager = [], []
for number in range(1, 7):
    if number % 3:
        loader.load(number)
    graph.replay()
    replayed.append(y[0].item())
    eager.append((loader.batch * 10)[0].item())
print("replay", replayed, "eager", eager)
