"""The engine captures its graph again when the weights are reloaded."""

import torch


class Engine:
    def __init__(self, weight):
        self.weight = weight
        self.input = torch.zeros(4, 8, device="cuda")
        self.graph = torch.cuda.CUDAGraph()
        self.capture()

    def capture(self):
        with torch.cuda.graph(self.graph):
            self.output = self.input * self.weight

    def reload(self, weight):
        torch.cuda.synchronize()
        self.output = None
        self.graph.reset()
        self.weight = weight
        self.capture()

    def run(self, batch):
        self.input.copy_(batch)
        self.graph.replay()
        return self.output.clone()


batch = torch.ones(4, 8, device="cuda")
engine = Engine(torch.ones(8, device="cuda"))
engine.run(batch)
engine.reload(torch.full((8,), 2.0, device="cuda"))
engine.run(batch)
torch.cuda.synchronize()
