"""A step counts its calls in a variable of the context."""

import contextvars

import torch

calls = contextvars.ContextVar("calls", default=0)


def step(x):
    calls.set(calls.get() + 1)  # cgsan: CG212
    return x * 2


x = torch.zeros(3, device="cuda")
step(x)
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):  # cgsan: label
    y = step(x)
for _ in range(4):
    graph.replay()  # cgsan: label
print("counted", calls.get(), "made", 6)
