"""A step counts the calls of its thread."""

import threading

import torch

of_thread = threading.local()
of_thread.calls = 0


def step(x):
    of_thread.calls += 1  # cgsan: CG212
    return x * 2


x = torch.zeros(3, device="cuda")
step(x)
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):  # cgsan: label
    y = step(x)
for _ in range(4):
    graph.replay()  # cgsan: label
print("counted", of_thread.calls, "made", 6)
