"""Allocate on a stream of the capture."""

import torch

side = torch.cuda.Stream()
x = torch.randn(128, device="cuda")
graph = torch.cuda.CUDAGraph()

with torch.cuda.graph(graph):
    origin = torch.cuda.current_stream()
    side.wait_stream(origin)
    with torch.cuda.stream(side):
        y = torch.empty_like(x).fill_(2)
    origin.wait_stream(side)
    z = x + y

graph.replay()
