"""An object keeps its graph and its output, and the mask that the graph reads dies with the constructor."""

import torch


class Masked:
    def __init__(self, x):
        mask = torch.tensor([1.0, 0.0, 1.0, 0.0], device="cuda")  # cgsan: label
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.output = x * mask

    def __call__(self):
        self.graph.replay()  # cgsan: CG209
        return self.output.tolist()


x = torch.full((4,), 3.0, device="cuda")
masked = Masked(x)
noise = torch.full((4,), 7.0, device="cuda")
replayed = masked()
eager = (x * torch.tensor([1.0, 0.0, 1.0, 0.0], device="cuda")).tolist()
print("replay", replayed, "eager", eager)
