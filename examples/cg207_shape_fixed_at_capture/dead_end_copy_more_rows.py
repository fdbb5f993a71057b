"""A batch with more rows than the captured input has does not fit into it."""

import torch

static = torch.zeros(4, 8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    total = static.sum(dim=0)

static.copy_(torch.ones(6, 8, device="cuda"))
graph.replay()
