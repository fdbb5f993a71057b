"""`resize_` gives the input more rows and other memory; the graph's output keeps its size."""

import torch

static = torch.zeros(4, 1024, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = static * 2

static.resize_(8, 1024)
static.fill_(1)
graph.replay()
assert y.shape[0] == 8, "the graph computes as many rows as it captured"
