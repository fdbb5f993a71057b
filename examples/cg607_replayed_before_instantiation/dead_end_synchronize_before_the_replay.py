"""However long the host waits, the object that was reset holds no graph."""

import torch

x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x + 1
graph.replay()
torch.cuda.synchronize()
graph.reset()
torch.cuda.synchronize()
graph.replay()
