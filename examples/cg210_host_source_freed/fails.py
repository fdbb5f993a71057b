"""An object keeps its graph, and the pinned prices that the graph copies die with the constructor."""

import torch


class Prices:
    def __init__(self, values):
        source = torch.tensor(values).pin_memory()
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.output = source.to("cuda", non_blocking=True) * 2  # cgsan: label

    def __call__(self):
        self.graph.replay()  # cgsan: CG210
        return self.output.tolist()


prices = Prices([1.0, 2.0, 3.0, 4.0])
torch.cuda.synchronize()
staging = torch.full((4,), 9.0).pin_memory()
replayed = prices()
print("replay", replayed, "eager", [2.0, 4.0, 6.0, 8.0])
