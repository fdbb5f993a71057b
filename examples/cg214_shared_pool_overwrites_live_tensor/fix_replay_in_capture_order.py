"""Graphs of one pool that replay in the order of their capture leave each other's outputs alone."""

import torch

first = torch.tensor([1.0, 2.0], device="cuda")
second = torch.tensor([3.0, 4.0], device="cuda")
one, two = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
with torch.cuda.graph(one):
    temporary = first.clone()
    left = temporary.clone()
    del temporary
with torch.cuda.graph(two, pool=one.pool()):
    right = second.clone()  # takes the block of `temporary`

for _ in range(2):
    one.replay()
    two.replay()
    assert left.tolist() == [1.0, 2.0]
    assert right.tolist() == [3.0, 4.0]
