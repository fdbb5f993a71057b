"""A context and a tensor do not make the library's handle."""

import torch

torch.cuda.init()
a = torch.ones(64, 64, device="cuda") + 1
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    b = a @ a
graph.replay()
