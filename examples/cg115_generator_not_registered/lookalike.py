"""The default generator is registered with every graph."""

import torch

torch.manual_seed(7)
noise = torch.empty(1024, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    noise.normal_()
graph.replay()
