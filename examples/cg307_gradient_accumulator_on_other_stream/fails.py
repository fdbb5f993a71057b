"""The accumulator was made on a side stream and lives on: each captured step takes another gradient."""

import torch


def accumulate(x):
    x.grad = None
    for _ in range(4):
        (x * 2).sum().backward()  # cgsan: CG307


x = torch.randn(16 << 20, device="cuda", requires_grad=True)
side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    accumulator = x.expand_as(x).grad_fn.next_functions[0][0]
    accumulate(x)
torch.cuda.current_stream().wait_stream(side)
x.grad = None
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    accumulate(x)
graph.replay()
torch.cuda.synchronize()
