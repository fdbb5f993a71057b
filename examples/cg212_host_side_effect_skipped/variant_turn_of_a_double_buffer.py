"""A double buffer takes turns with a flag of the host; all replays write into one of its halves."""

import torch


class DoubleBuffer:
    def __init__(self):
        self.front = torch.zeros(4, device="cuda")
        self.back = torch.zeros(4, device="cuda")
        self.is_front = True

    def write(self, x):
        (self.front if self.is_front else self.back).copy_(x)
        self.is_front = not self.is_front  # cgsan: CG212


x = torch.zeros(4, device="cuda")
buffer, reference = DoubleBuffer(), DoubleBuffer()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):  # cgsan: label
    buffer.write(x)
buffer.is_front = True

for value in (1.0, 2.0, 3.0):
    x.fill_(value)
    graph.replay()
    reference.write(x)
replayed, eager = ([it.front[0].item(), it.back[0].item()] for it in (buffer, reference))
print("replay", replayed, "eager", eager)
