"""A step reads one buffer, writes the other and exchanges their names, and is captured once."""

import torch


class Heat:
    def __init__(self):
        self.now = torch.zeros(8, device="cuda")
        self.next = torch.zeros(8, device="cuda")

    def start(self):
        self.now.zero_()
        self.next.zero_()
        self.now[3] = 64.0

    def step(self):
        torch.lerp(self.now, self.now.roll(1), 0.5, out=self.next)  # cgsan: CG203
        self.now, self.next = self.next, self.now


heat = Heat()
heat.step()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    heat.step()

heat.start()
replayed = []
for _ in range(4):
    graph.replay()
    replayed.append(heat.now.sum().item() + heat.now[3].item())
heat.start()
eager = []
for _ in range(4):
    heat.step()
    eager.append(heat.now.sum().item() + heat.now[3].item())
print("replay", replayed, "eager", eager)
