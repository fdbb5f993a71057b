"""`record_stream` tells the allocator when a block may be reused; a replay asks no allocator."""

import torch

x = torch.tensor([1.0, 2.0], device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    temporary = x.clone()
    y = temporary.clone()
    del temporary
    table = torch.empty_like(x)  # takes the block of `temporary`

table.record_stream(torch.cuda.current_stream())
table.copy_(torch.tensor([7.0, 8.0]))
graph.replay()
assert table.tolist() == [7.0, 8.0], table.tolist()
