"""What is added for rows behind a smaller batch does no harm: they go to a spare row, are zeros, or are masked; or the sums begin anew
at each replay, and the program reads those of the batch."""

import torch

ROWS, LARGEST = 6, 4
spared, index = (torch.zeros(LARGEST, dtype=torch.long, device="cuda") for _ in range(2))
one, mask, values, rows = (torch.ones(LARGEST, device="cuda") for _ in range(4))
to_spare, zeroed, masked, sums = (torch.zeros(ROWS + 1, device="cuda") for _ in range(4))


def add():
    to_spare.index_add_(0, spared, one)
    zeroed.index_add_(0, index, values)
    masked.scatter_add_(0, index, one * mask)
    sums.index_add_(0, index, rows)


add()
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    add()
for total in (to_spare, zeroed, masked):
    total.zero_()
replayed, eager = [], 0
for batch in ([0, 1, 2, 3], [0, 1], [0, 1, 2]):
    size, chosen = len(batch), torch.tensor(batch)
    spared.fill_(ROWS)
    spared[:size].copy_(chosen)
    index[:size].copy_(chosen)
    values.zero_()
    values[:size].fill_(1)
    mask.zero_()
    mask[:size].fill_(1)
    rows[:size].copy_(torch.ones(size))
    sums.zero_()
    graph.replay()
    eager += size
    replayed.append(sums[:size].tolist() == [1.0] * size)
totals = [int(it[:ROWS].sum().item()) for it in (to_spare, zeroed, masked)]
print("replay", [*totals, all(replayed)], "eager", [eager, eager, eager, True])
