"""Warm-up calls on the side stream do not make it part of the capture."""

import torch

x = torch.ones(1024, device="cuda")
side = torch.cuda.Stream()


def step():
    with torch.cuda.stream(side):
        y = x * 2
    torch.cuda.current_stream().wait_stream(side)
    return y


for _ in range(5):
    step()
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    step()
