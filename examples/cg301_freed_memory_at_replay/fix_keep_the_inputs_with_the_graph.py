"""An object that owns the graph and its inputs keeps the memory for as long as it can replay."""

import torch


class Captured:
    def __init__(self):
        self.x = torch.tensor([1.0, 2.0], device="cuda")
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.y = self.x.clone()


captured = Captured()
torch.cuda.empty_cache()
other = torch.tensor([8.0, 9.0], device="cuda")
captured.graph.replay()
assert captured.y.tolist() == [1.0, 2.0]
