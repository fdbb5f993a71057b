"""What resets the graph captures it again, so that the next request has one to replay."""

import torch


class Engine:
    def __init__(self, weight):
        self.graph = torch.cuda.CUDAGraph()
        self.load(weight)

    def load(self, weight):
        torch.cuda.synchronize()
        self.output = None
        self.graph.reset()
        self.weight = weight
        with torch.cuda.graph(self.graph):
            self.output = self.weight.clone()

    def run(self):
        self.graph.replay()
        return self.output.tolist()


engine = Engine(torch.tensor([1.0, 2.0], device="cuda"))
assert engine.run() == [1.0, 2.0]
engine.load(torch.tensor([3.0, 4.0], device="cuda"))
assert engine.run() == [3.0, 4.0]
