"""Two tables should take turns; the turn comes from an iterator, which no replay advances."""

import itertools

import torch

tables = [torch.full((4,), float(value), device="cuda") for value in (1, 2)]
turns = itertools.chain.from_iterable(itertools.repeat(range(2), 8))
result = torch.zeros(4, device="cuda")


def step():
    turn = next(turns)  # cgsan: CG212
    result.add_(tables[turn])


graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    step()
step()  # Table 1 had its turn, and table 0 is next, as at the capture.
result.zero_()
sums = []
for _ in range(4):
    graph.replay()
    sums.append(result[0].item())
print("replay", sums, "want", [1, 3, 4, 6])
