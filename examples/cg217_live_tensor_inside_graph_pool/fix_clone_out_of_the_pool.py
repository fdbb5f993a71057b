"""A copy made after the capture lies outside of the pool and keeps its values."""

import torch

x = torch.tensor([1.0, 2.0], device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    temporary = x.clone()
    y = temporary.clone()
    del temporary
    table = torch.empty_like(x)  # takes the block of `temporary`

table = table.clone()
table.copy_(torch.tensor([7.0, 8.0]))
graph.replay()
assert table.tolist() == [7.0, 8.0]
