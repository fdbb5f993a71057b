"""A buffer that exists before the capture lies outside of the graph's pool and keeps its values."""

import torch

x = torch.tensor([1.0, 2.0], device="cuda")
table = torch.empty_like(x)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    temporary = x.clone()
    y = temporary.clone()
    del temporary

table.copy_(torch.tensor([7.0, 8.0]))
graph.replay()
assert table.tolist() == [7.0, 8.0]
assert y.tolist() == [1.0, 2.0]
