"""A graph is replayed on the default stream, which is fine."""

import torch

x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x + 1
with torch.cuda.stream(torch.cuda.default_stream()):
    graph.replay()
