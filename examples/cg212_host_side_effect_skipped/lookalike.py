"""The capture keeps its output in an attribute and fills a cache that no later call changes."""

import torch


class Runner:
    def __init__(self):
        self.input = torch.ones(4, device="cuda")
        self.output = None
        self.masks = {}

    def mask(self, size):
        if size not in self.masks:
            self.masks[size] = torch.ones(size, device="cuda")
        return self.masks[size]

    def forward(self):
        self.output = self.input * self.mask(len(self.input))
        return self.output

    def capture(self):
        self.forward()
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.forward()


runner, reference = Runner(), Runner()
runner.capture()
replayed, eager = [], []
for value in (1.0, 2.0, 3.0):
    runner.input.fill_(value)
    runner.graph.replay()
    replayed.append(runner.output[0].item())
    reference.input.fill_(value)
    eager.append(reference.forward()[0].item())
print("replay", replayed, "eager", eager)
