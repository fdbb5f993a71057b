"""A runner empties the list of hidden states before each step; the region that fills it is captured, so the list stays empty."""

import torch


class Runner:
    def __init__(self):
        self.weight = torch.ones(4, device="cuda")
        self.x = torch.zeros(4, device="cuda")
        self.hidden = []
        self.graph = None

    def body(self):
        hidden = self.x * self.weight
        self.hidden.append(hidden)  # cgsan: CG212
        return hidden.sum()

    def capture(self):
        self.body()
        self.hidden.clear()
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):  # cgsan: label
            self.y = self.body()

    def __call__(self, value):
        self.hidden.clear()
        self.x.fill_(value)
        self.graph.replay()
        return self.y.item(), len(self.hidden)


runner = Runner()
runner.capture()
replayed = [runner(value) for value in range(5)]
runner.hidden.clear()
runner.body()
print("replay", replayed, "eager", len(runner.hidden))
