"""Every other step sharpens, and the capture was a step that does not."""

import torch
import triton
import triton.language as tl


@triton.jit
def add(x, amount, SIZE: tl.constexpr):
    at = tl.arange(0, SIZE)
    tl.store(x + at, tl.load(x + at) + tl.load(amount))


@triton.jit
def sharpen(x, SIZE: tl.constexpr):
    at = tl.arange(0, SIZE)
    tl.store(x + at, tl.load(x + at) * 2)


x, amount = torch.zeros(16, device="cuda"), torch.ones((), device="cuda")
number = 0


def step():
    add[(1,)](x, amount, SIZE=16)
    if number % 2:
        sharpen[(1,)](x, SIZE=16)  # cgsan: CG201


step()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):  # cgsan: label
    step()

x.zero_()
want = 0.0
for number in range(4):
    graph.replay()
    want = (want + 1) * (2 if number % 2 else 1)
print("replay", x[0].item(), "eager", want)
