"""A tracer notes the functions that run as the region is captured. What it notes is no part of the region."""

import sys

import torch

x = torch.ones(4, device="cuda")
calls = []


def step():
    return x * 2


def tracer(frame, event, arg):
    if frame.f_code.co_filename == __file__:
        calls.append(frame.f_code.co_name)


step()
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
sys.settrace(tracer)
with torch.cuda.graph(graph):
    y = step()
sys.settrace(None)
for _ in range(3):
    graph.replay()
print(calls, y.tolist())
