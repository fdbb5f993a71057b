"""A captured step uses one of two names of a network; the other name leads to a new network for eager use."""

import torch
from torch import nn


class Teacher:
    def __init__(self):
        self.net = nn.Linear(4, 2).cuda().requires_grad_(False)
        self.frozen = self.net
        self.x = torch.zeros(3, 4, device="cuda")

    def step(self):
        return self.frozen(self.x)


teacher = Teacher()
teacher.step()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = teacher.step()

replayed, eager = [], []
for number in range(4):
    teacher.net = nn.Linear(4, 2).cuda().requires_grad_(False)
    teacher.x.fill_(float(number))
    graph.replay()
    replayed.append(round(y.sum().item(), 3))
    eager.append(round(teacher.step().sum().item(), 3))
print("replay", replayed, "eager", eager)
