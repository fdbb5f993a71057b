"""The first call of an average is special, and the graph is captured on it."""

import torch


class Average:
    def __init__(self):
        self.value = torch.zeros(4, device="cuda")

    def update(self, x, number):
        if number == 0:
            self.value.copy_(x)  # cgsan: CG201
        else:
            self.value.lerp_(x, 0.5)  # cgsan: label


x = torch.zeros(4, device="cuda")
average, reference = Average(), Average()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    average.update(x, 0)

replayed, eager = [], []
for number in range(4):
    x.fill_(8 * number)
    graph.replay()
    replayed.append(average.value[0].item())
    reference.update(x, number)
    eager.append(reference.value[0].item())
print("replay", replayed, "eager", eager)
