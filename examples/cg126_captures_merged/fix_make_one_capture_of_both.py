"""Both parts belong to one capture, whose streams may wait for each other."""

import torch

x = torch.ones(4, device="cuda")
side = torch.cuda.Stream()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    origin = torch.cuda.current_stream()
    side.wait_stream(origin)
    y = x + 1
    with torch.cuda.stream(side):
        z = x * 2
    origin.wait_stream(side)
    total = y + z

graph.replay()
