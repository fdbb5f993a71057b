"""The engine keeps its outputs in the memory of the host."""

import torch


class Engine:
    def __init__(self):
        self.x = torch.ones(1024, 1024, device="cuda")
        self.history = []
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.out = self.x * 2

    def step(self, value):
        self.x.fill_(value)
        self.graph.replay()
        self.history.append(self.out.cpu())
        return self.out[0, 0].item()


engine = Engine()
total = sum(engine.step(float(number)) for number in range(40))
print("steps", len(engine.history), "total", total)
