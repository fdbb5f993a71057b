"""Each replay's reply is kept, and all of them are the memory that the kernel writes."""

import torch
import triton
import triton.language as tl


@triton.jit
def double(x, y, SIZE: tl.constexpr):
    at = tl.arange(0, SIZE)
    tl.store(y + at, tl.load(x + at) * 2)


x = torch.zeros(16, device="cuda")
warm = torch.empty_like(x)
double[(1,)](x, warm, SIZE=16)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):  # cgsan: label
    y = torch.empty_like(x)
    double[(1,)](x, y, SIZE=16)

replies = []
for value in (1.0, 2.0, 3.0):
    x.fill_(value)
    graph.replay()  # cgsan: CG211
    replies.append(y)
print("replay", [reply[0].item() for reply in replies], "eager", [2.0, 4.0, 6.0])
