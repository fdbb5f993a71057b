"""A mask and `nonzero_static` need no count on the host."""

import torch

x = torch.zeros(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    mask = x > 0
    total = torch.where(mask, x, torch.zeros_like(x)).sum()
    where = torch.nonzero_static(mask, size=4, fill_value=-1)

x.copy_(torch.tensor([1.0, -1.0, 2.0, -2.0]))
graph.replay()
assert total.item() == 3.0
assert where.flatten().tolist() == [0, 2, -1, -1]
