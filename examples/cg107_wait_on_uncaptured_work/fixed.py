"""The wait happens before the capture: it orders this one run, and is no part of the graph."""

import torch

x = torch.ones(1024, device="cuda")
loader = torch.cuda.Stream()
loaded = torch.cuda.Event()
with torch.cuda.stream(loader):
    x.mul_(2)
    loaded.record()

torch.cuda.current_stream().wait_event(loaded)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x + 1
graph.replay()
