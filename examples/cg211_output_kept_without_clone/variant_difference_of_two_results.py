"""A loop runs until a result changes no more; both results are the memory of the last replay."""

import torch


class Step:
    def __init__(self):
        self.x = torch.zeros(8, device="cuda")
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.y = self.x * 0.5 + 1.0

    def __call__(self, x):
        self.x.copy_(x)
        self.graph.replay()  # cgsan: CG211
        return self.y


step = Step()
before, rounds = step(torch.zeros(8, device="cuda")), 1
while True:
    after = step(before)
    rounds += 1
    if (after - before).abs().max().item() < 1e-3:
        break
    before = after
print(f"{after[0].item()} after {rounds} rounds; eagerly 2.0 after 11")
