"""The plan lies in a tensor on the device; planning fills it, and the graph reads it at each replay."""

import torch

tokens = torch.arange(8.0, device="cuda")
owner = torch.zeros(8, dtype=torch.int64, device="cuda")
sums = torch.zeros(2, device="cuda")


def plan(lengths):
    owner.copy_(torch.arange(len(lengths)).repeat_interleave(torch.tensor(lengths)))


def run():
    sums.zero_().index_add_(0, owner, tokens)


run()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    run()

for lengths, expected in (([2, 6], [1, 27]), ([4, 4], [6, 22]), ([7, 1], [21, 7])):
    plan(lengths)
    graph.replay()
    assert sums.tolist() == expected
