"""An event recorded inside the capture marks a place in the graph; the host cannot wait for it."""

import torch

x = torch.ones(4, device="cuda")
host = torch.zeros((), pin_memory=True)
copied = torch.cuda.Event()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    host.copy_(x.sum(), non_blocking=True)
    copied.record()

graph.replay()
copied.synchronize()
assert host.item() == 4
