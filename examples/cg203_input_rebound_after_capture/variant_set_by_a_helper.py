"""A helper gives an engine new tensors by `setattr`; another class has a method that assigns an attribute of the same name, and never runs."""

import torch


class Engine:
    def __init__(self):
        self.table = torch.zeros(4, device="cuda")

    def forward(self):
        return self.table * 2


class Cache:
    def load(self, table):
        self.table = table


def install(target, **tensors):
    for name, tensor in tensors.items():
        setattr(target, name, tensor)  # cgsan: CG203


engine = Engine()
engine.forward()
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    doubled = engine.forward()
for step in range(3):
    install(engine, table=torch.full((4,), float(step), device="cuda"))
    graph.replay()
    print("replay", doubled[0].item(), "eager", engine.forward()[0].item())
