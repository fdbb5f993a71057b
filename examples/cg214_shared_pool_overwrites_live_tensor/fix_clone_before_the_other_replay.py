"""A copy outside of the pool keeps an output while another graph of the pool replays."""

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
kept = right.clone()
one.replay()
assert left.tolist() == [1.0, 2.0]
assert kept.tolist() == [3.0, 4.0]
