"""The same work runs once on a side stream before the capture."""

import torch

a = torch.randn(64, 64, device="cuda")
side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    for _ in range(3):
        a @ a
torch.cuda.current_stream().wait_stream(side)

graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, stream=side):
    b = a @ a
graph.replay()
