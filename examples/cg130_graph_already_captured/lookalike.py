"""The same line captures twice, and one object is captured into twice: it was reset in between."""

import torch

x = torch.ones(4, 16, device="cuda")
graph = torch.cuda.CUDAGraph()
for factor in (2.0, 3.0):
    with torch.cuda.graph(graph):
        y = x * factor
    graph.replay()
    torch.cuda.synchronize()
    del y
    graph.reset()
