"""`capture_begin` by hand makes the same check."""

import torch

x = torch.ones(4, 16, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x + 1
with torch.cuda.stream(torch.cuda.Stream()):
    graph.capture_begin()
    y = x + 2
    graph.capture_end()
graph.replay()
