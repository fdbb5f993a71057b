"""A view of the output is the same memory, so the other graph overwrites it too."""

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

two.replay()
kept = right.detach()
one.replay()
assert kept.tolist() == [3.0, 4.0], kept.tolist()
