"""The refused query breaks the capture, whether or not its exception is caught."""

import torch

x = torch.ones(1024, device="cuda")
previous = torch.cuda.Event()
previous.record()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x.cos()
    try:
        done = previous.query()
    except RuntimeError:
        done = False
    z = y.sin()
