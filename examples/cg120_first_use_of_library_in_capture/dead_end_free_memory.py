"""Memory is not short: with a tiny matrix and an empty cache the handle is refused all the same."""

import torch

a = torch.randn(2, 2, device="cuda")
torch.cuda.empty_cache()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    b = a @ a
graph.replay()
