"""A graph that follows another can read that one's output where it lies, without an input of its own."""

import torch

x = torch.tensor([1.0, 2.0], device="cuda")
one, two = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
with torch.cuda.graph(one):
    middle = x.clone()
with torch.cuda.graph(two, pool=one.pool()):
    y = middle.clone()

x.copy_(torch.tensor([3.0, 4.0]))
one.replay()
two.replay()
assert y.tolist() == [3.0, 4.0]
