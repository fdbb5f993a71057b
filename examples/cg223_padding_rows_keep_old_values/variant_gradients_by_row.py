"""Gradients are added to the rows of a table that a batch names: rows of an earlier batch are added once more behind a smaller one."""

import torch

ROWS, LARGEST = 8, 4
rows = torch.zeros(LARGEST, dtype=torch.long, device="cuda")
gradients = torch.zeros(LARGEST, 2, device="cuda")
table = torch.zeros(ROWS, 2, device="cuda")


def add():
    table.index_put_((rows,), gradients * -0.5, accumulate=True)  # cgsan: label


add()
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):  # cgsan: label
    add()
table.zero_()
expected = 0.0
for named in ([0, 1, 2, 3], [4, 5], [6]):
    gradients[: len(named)].copy_(torch.ones(len(named), 2))
    rows[: len(named)].copy_(torch.tensor(named))  # cgsan: label
    graph.replay()  # cgsan: CG223
    expected -= len(named)
print("replay", table.sum().item(), "eager", expected)
