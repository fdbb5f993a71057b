"""A memory stacks the states that it has seen so far: the graph has those of the capture, and each step adds one."""

import torch


class Memory:
    def __init__(self, width):
        self.states = [torch.full((width,), float(number), device="cuda") for number in range(2)]

    def total(self):
        return torch.stack(self.states).sum(0)  # cgsan: CG207


memory = Memory(4)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    total = memory.total()

replayed, eager = [], []
for number in range(2, 6):
    memory.states.append(torch.full((4,), float(number), device="cuda"))
    graph.replay()
    replayed.append(total[0].item())
    eager.append(float(sum(range(number + 1))))
print("replay", replayed, "eager", eager)
