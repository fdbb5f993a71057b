"""Clones made outside of inference mode are ordinary tensors; the engine uses them from then on."""

import torch


class Engine:
    @torch.inference_mode()
    def __init__(self, size):
        self.input = torch.zeros(size, device="cuda")
        self.output = torch.zeros(size, device="cuda")

    def step(self):
        self.output.copy_(self.input)


engine = Engine(2)
engine.input, engine.output = engine.input.clone(), engine.output.clone()
assert not engine.input.is_inference() and not engine.output.is_inference()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    engine.step()
engine.input.copy_(torch.tensor([1.0, 2.0], device="cuda"))
graph.replay()
assert engine.output.tolist() == [1.0, 2.0]
