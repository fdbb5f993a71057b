"""The captured step binds its state to what it computed, and a replay goes on from the state of the capture."""

import torch


class Filter:
    def __init__(self):
        self.weight = torch.full((4, 4), 0.25, device="cuda")
        self.state = torch.zeros(4, device="cuda")

    def step(self, x):
        self.state = torch.mv(self.weight, self.state) + x  # cgsan: CG203
        return self.state.sum()


@torch.no_grad()
def main():
    smooth = Filter()
    x = torch.ones(4, device="cuda")
    smooth.step(x)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        level = smooth.step(x)
    levels = []
    for _ in range(4):
        graph.replay()
        levels.append(level.item())
    print(levels, "want four different ones")


main()
