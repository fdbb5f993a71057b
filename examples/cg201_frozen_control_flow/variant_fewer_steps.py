"""A solver takes fewer steps from time to time; the graph takes those of its capture."""

import torch


class Solver:
    def __init__(self):
        self.x = torch.ones(4, device="cuda")
        self.result = None
        self.steps = 3

    def solve(self):
        found = self.x
        for _ in range(self.steps):
            found = found - 0.1 * found.sin()  # cgsan: CG201
        self.result = found


solver = Solver()
solver.solve()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    solver.solve()
static = solver.result
for solver.steps in (3, 2, 1):
    graph.replay()
    replayed = static[0].item()
    solver.solve()
    print("replay", replayed, "eager", solver.result[0].item())
