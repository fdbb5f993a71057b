"""Memory that the graph never used goes back to the driver between two replays."""

import torch

x = torch.full((64 << 20,), 2.0, device="cuda")
other = torch.full((64 << 20,), 3.0, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2

graph.replay()
del other
torch.cuda.empty_cache()
graph.replay()
torch.cuda.synchronize()
