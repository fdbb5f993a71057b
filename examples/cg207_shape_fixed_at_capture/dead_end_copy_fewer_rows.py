"""A short batch fills a part of the input; the graph also reads the rows of the batch before."""

import torch

static = torch.ones(4, 8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    total = static.sum(dim=0)

batch = torch.full((2, 8), 10.0, device="cuda")
static[:2].copy_(batch)
graph.replay()
assert torch.equal(total, batch.sum(dim=0)), "the old rows are in the sum"
