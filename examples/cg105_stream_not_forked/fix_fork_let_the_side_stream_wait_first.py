"""Fork: let the side stream wait first."""

import torch

side = torch.cuda.Stream()
x = torch.randn(128, device="cuda")


def step():
    current = torch.cuda.current_stream()
    side.wait_stream(current)
    with torch.cuda.stream(side):
        y = x * 2
    current.wait_stream(side)
    return x + y


graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    z = step()

graph.replay()
