"""A method sets the scale for all calls to come, and runs nothing itself; the graph goes on with the one of its capture."""

import torch


class Scaled:
    def __init__(self):
        self.scale = 1.0
        self.graph = None

    def set_scale(self, scale):
        self.scale = scale

    def forward(self, x):
        return x * self.scale  # cgsan: CG205

    def capture(self, x):
        self.forward(x)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.result = self.forward(x)


scaled = Scaled()
x = torch.ones(4, device="cuda")
scaled.capture(x)
replayed, eager = [], []
for scale in (1.0, 2.0, 3.0):
    scaled.set_scale(scale)
    scaled.graph.replay()
    replayed.append(scaled.result[0].item())
    eager.append(scaled.forward(x)[0].item())
print("replay", replayed, "eager", eager)
