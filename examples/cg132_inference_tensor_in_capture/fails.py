"""An engine's constructor runs in inference mode, and its step is captured outside of it."""

import torch


class Engine:
    @torch.inference_mode()
    def __init__(self):
        self.input = torch.ones(4, 8, device="cuda")
        self.output = torch.zeros(4, 8, device="cuda")

    def step(self):
        self.output.copy_(self.input * 2)  # cgsan: CG132


engine = Engine()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    engine.step()
graph.replay()
torch.cuda.synchronize()
