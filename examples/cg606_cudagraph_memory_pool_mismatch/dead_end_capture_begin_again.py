"""`capture_begin()` on a graph that was captured before is refused by PyTorch."""

import torch

x = torch.zeros(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x + 1

with torch.cuda.stream(torch.cuda.Stream()):
    graph.capture_begin()
    y = x + 1
    graph.capture_end()
