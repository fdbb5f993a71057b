"""Graphs that run in turn can read one static input: a second graph then needs no input of its own."""

import torch

static = torch.empty(64 << 20, dtype=torch.uint8, device="cuda")
one, two = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
before = torch.cuda.memory_allocated()
with torch.cuda.graph(one):
    first = static[:2].clone()
with torch.cuda.graph(two):
    second = static[:2].clone()
assert torch.cuda.memory_allocated() - before < 64 << 20

static[:2].copy_(torch.tensor([1, 2]))
one.replay()
static[:2].copy_(torch.tensor([3, 4]))
two.replay()
assert first.tolist() == [1, 2]
assert second.tolist() == [3, 4]
