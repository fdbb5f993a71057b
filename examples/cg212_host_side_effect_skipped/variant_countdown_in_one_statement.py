"""A countdown gives its old value and goes on in one statement; it stands still over the replays."""

import torch


class Schedule:
    def __init__(self):
        self.left = 8.0
        self.x = torch.zeros(4, device="cuda")

    def advance(self):
        left, self.left = self.left, self.left / 2  # cgsan: CG212
        return left

    def step(self):
        self.x.add_(self.advance())


schedule = Schedule()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    schedule.step()
schedule.left = 8.0
sums = []
for _ in range(4):
    graph.replay()
    sums.append(schedule.x[0].item())
print("replay", sums, "want", [8, 12, 14, 15])
