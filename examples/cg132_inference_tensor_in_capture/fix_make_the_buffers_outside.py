"""Buffers made under `torch.no_grad()` are ordinary tensors, which a capture may write."""

import torch


class Engine:
    @torch.no_grad()
    def __init__(self, size):
        self.input = torch.zeros(size, device="cuda")
        self.output = torch.zeros(size, device="cuda")

    def step(self):
        self.output.copy_(self.input)


engine = Engine(2)
assert not engine.input.is_inference() and not engine.output.is_inference()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    engine.step()
engine.input.copy_(torch.tensor([1.0, 2.0], device="cuda"))
graph.replay()
assert engine.output.tolist() == [1.0, 2.0]
