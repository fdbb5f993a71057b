"""A capture without the refused call gives its pool back with its graph."""

import gc

import torch

graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    x = torch.empty(256 << 20, dtype=torch.uint8, device="cuda")
    x[:1].fill_(1)
torch.cuda.synchronize()
del x
del graph
gc.collect()
torch.cuda.empty_cache()
y = torch.zeros(8, device="cuda")
