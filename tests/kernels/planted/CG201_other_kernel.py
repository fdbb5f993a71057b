"""From some step on the program takes another kernel; the graph goes on with the first."""

import torch
import triton
import triton.language as tl


@triton.jit
def warm(x, SIZE: tl.constexpr):
    at = tl.arange(0, SIZE)
    tl.store(x + at, tl.load(x + at) + 1)


@triton.jit
def steady(x, SIZE: tl.constexpr):
    at = tl.arange(0, SIZE)
    tl.store(x + at, tl.load(x + at) * 2)


class Loop:
    def __init__(self):
        self.steps = 0

    def step(self, x):
        if self.steps < 2:
            warm[(1,)](x, SIZE=16)  # cgsan: CG201
        else:
            steady[(1,)](x, SIZE=16)


x = torch.ones(16, device="cuda")
loop = Loop()
loop.step(x)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):  # cgsan: label
    loop.step(x)

x.fill_(1.0)
for _ in range(4):
    graph.replay()
    loop.steps += 1
print("replay", x[0].item(), "eager", 12.0)
