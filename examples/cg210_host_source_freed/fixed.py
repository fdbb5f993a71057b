"""The object also keeps the pinned prices that its graph copies."""

import torch


class Prices:
    def __init__(self, values):
        self.source = torch.tensor(values).pin_memory()
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.output = self.source.to("cuda", non_blocking=True) * 2

    def __call__(self):
        self.graph.replay()
        return self.output.tolist()


prices = Prices([1.0, 2.0, 3.0, 4.0])
torch.cuda.synchronize()
staging = torch.full((4,), 9.0).pin_memory()
replayed = prices()
print("replay", replayed, "eager", [2.0, 4.0, 6.0, 8.0])
