"""`reset()` destroys the graph that `keep_graph=True` keeps, too: there is nothing to instantiate."""

import torch

x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph(keep_graph=True)
with torch.cuda.graph(graph):
    y = x + 1
graph.replay()
torch.cuda.synchronize()
graph.reset()
graph.instantiate()
graph.replay()
