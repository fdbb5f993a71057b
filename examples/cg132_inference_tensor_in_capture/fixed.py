"""The engine's constructor runs under `torch.no_grad()`, so its buffers are ordinary tensors."""

import torch


class Engine:
    @torch.no_grad()
    def __init__(self):
        self.input = torch.ones(4, 8, device="cuda")
        self.output = torch.zeros(4, 8, device="cuda")

    def step(self):
        self.output.copy_(self.input * 2)


engine = Engine()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    engine.step()
graph.replay()
torch.cuda.synchronize()
