"""Graphs with pools of their own replay in any order."""

import torch

first = torch.tensor([1.0, 2.0], device="cuda")
second = torch.tensor([3.0, 4.0], device="cuda")
one, two = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
with torch.cuda.graph(one):
    temporary = first.clone()
    left = temporary.clone()
    del temporary
with torch.cuda.graph(two):
    right = second.clone()

two.replay()
one.replay()
assert left.tolist() == [1.0, 2.0]
assert right.tolist() == [3.0, 4.0]
