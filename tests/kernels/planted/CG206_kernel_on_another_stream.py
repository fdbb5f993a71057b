"""A kernel counts on a stream that the capture does not record."""

import torch
import triton
import triton.language as tl


@triton.jit
def count(x, total, SIZE: tl.constexpr):
    at = tl.arange(0, SIZE)
    tl.store(total + at, tl.load(total + at) + tl.load(x + at))


x, total = torch.zeros(16, device="cuda"), torch.zeros(16, device="cuda")


def step():
    with torch.cuda.stream(torch.cuda.default_stream()):
        count[(1,)](x, total, SIZE=16)  # cgsan: CG206
    return x * 2


step()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):  # cgsan: label
    y = step()

total.zero_()
for value in (1.0, 2.0, 3.0):
    x.fill_(value)
    graph.replay()
print("replay", total[0].item(), "eager", 6.0)
