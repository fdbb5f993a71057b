"""The graph object is made in the constructor; the first call captures into it before it replays."""

import torch


class Double:
    def __init__(self):
        self.input = torch.zeros(4, 8, device="cuda")
        self.output = None
        self.graph = torch.cuda.CUDAGraph()

    def __call__(self, batch):
        if self.output is None:
            with torch.cuda.graph(self.graph):
                self.output = self.input * 2
        self.input.copy_(batch)
        self.graph.replay()
        return self.output.clone()


double = Double()
for value in (1.0, 2.0, 3.0):
    result = double(torch.full((4, 8), value, device="cuda"))
torch.cuda.synchronize()
