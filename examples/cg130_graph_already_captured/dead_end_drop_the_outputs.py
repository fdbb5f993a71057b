"""The outputs are gone and the caches are empty, but the object still holds the graph."""

import gc

import torch

x = torch.ones(4, 16, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x + 1
del y
gc.collect()
torch.cuda.empty_cache()
with torch.cuda.graph(graph):
    y = x + 2
graph.replay()
