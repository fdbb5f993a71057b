"""Two buffers change places after each replay, which goes on reading the first; another object does the same eagerly."""

import torch


class Grid:
    def __init__(self):
        self.now = torch.arange(4.0, device="cuda")
        self.next = self.now.clone()

    def sweep(self):
        torch.mul(self.now, 2, out=self.next)  # cgsan: label


grid, other = Grid(), Grid()
grid.sweep()
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    grid.sweep()
for _ in range(4):
    graph.replay()
    grid.now, grid.next = grid.next, grid.now  # cgsan: CG203
for _ in range(4):
    other.sweep()
    other.now, other.next = other.next, other.now
print("replay", grid.now.tolist(), "eager", other.now.tolist())
