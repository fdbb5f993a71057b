"""Let the origin stream wait for every fork."""

import torch

side = torch.cuda.Stream()
x = torch.randn(128, device="cuda")
graph = torch.cuda.CUDAGraph()

with torch.cuda.graph(graph):
    origin = torch.cuda.current_stream()
    side.wait_stream(origin)
    with torch.cuda.stream(side):
        y = x * 2
    origin.wait_stream(side)
    z = x + y

graph.replay()
