"""Setting `.grad` to None frees the gradient and keeps the accumulator with its stream."""

import torch


def accumulate(x):
    x.grad = None
    for _ in range(4):
        (x * 2).sum().backward()


x = torch.randn(16 << 20, device="cuda", requires_grad=True)
side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    accumulator = x.expand_as(x).grad_fn.next_functions[0][0]
    accumulate(x)
torch.cuda.current_stream().wait_stream(side)
x.grad = None
before = torch.cuda.memory_stats()["active_bytes.all.current"]
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    for _ in range(4):
        x.grad = None
        (x * 2).sum().backward()
grown = torch.cuda.memory_stats()["active_bytes.all.current"] - before
assert grown < 3 * x.nbytes, f"{grown / x.nbytes:.1f} gradients for one"
