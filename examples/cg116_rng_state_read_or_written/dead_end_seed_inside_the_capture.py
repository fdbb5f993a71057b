"""A new seed inside the capture is refused, also by the versions that let the state be read and set."""

import torch

torch.cuda.manual_seed(1)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    torch.manual_seed(7)
    x = torch.rand(8, device="cuda")
graph.replay()
