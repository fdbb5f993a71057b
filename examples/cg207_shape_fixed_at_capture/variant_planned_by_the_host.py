"""The host counts the blocks that a batch needs before each step; a replay sums those of the capture."""

import torch


class Blocks:
    def __init__(self):
        self.blocks = torch.ones(8, 16, device="cuda")
        self.used = 1

    def plan(self, length):
        self.used = (length + 15) // 16

    def total(self):
        return self.blocks[: self.used].sum()  # cgsan: CG207


blocks = Blocks()
blocks.total()
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    total = blocks.total()
totals = []
for length in (16, 40, 100):
    blocks.plan(length)
    graph.replay()
    totals.append(total.item())
print(totals, "want [16.0, 48.0, 112.0]")
