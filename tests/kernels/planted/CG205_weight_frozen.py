"""A kernel is given a weight by value, which changes with each step."""

import torch
import triton
import triton.language as tl


@triton.jit
def blend(x, y, weight, size, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < size
    new = tl.load(x + at, mask=inside)
    old = tl.load(y + at, mask=inside)
    tl.store(y + at, old + weight * (new - old), mask=inside)


x, y = torch.ones(100, device="cuda"), torch.zeros(100, device="cuda")
weights = [0.5, 0.25, 0.125, 0.0625]
weight = weights[0]


def step():
    blend[(triton.cdiv(100, 64),)](x, y, weight, 100, BLOCK=64)  # cgsan: CG205


step()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):  # cgsan: label
    step()

y.zero_()
want = 0.0
for weight in weights:
    graph.replay()
    want += weight * (1 - want)
print("replay", y[0].item(), "eager", want)
