"""The event is polled before the capture."""

import torch

x = torch.ones(1024, device="cuda")
previous = torch.cuda.Event()
previous.record()
if not previous.query():
    print("still busy")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x.cos()
    z = y.sin()
graph.replay()
