"""`torch.no_grad()` around the capture records no gradients, and the buffer is an inference tensor still."""

import torch


class Engine:
    @torch.inference_mode()
    def __init__(self):
        self.input = torch.ones(4, 8, device="cuda")
        self.output = torch.zeros(4, 8, device="cuda")

    def step(self):
        self.output.copy_(self.input * 2)


engine = Engine()
graph = torch.cuda.CUDAGraph()
with torch.no_grad(), torch.cuda.graph(graph):
    engine.step()
graph.replay()
torch.cuda.synchronize()
