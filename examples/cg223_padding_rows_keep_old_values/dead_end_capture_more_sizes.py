"""Four sizes in place of two leave a batch of five to the graph for six, with one old slot behind it."""

import torch

SIZES = (2, 4, 6, 8)
cache = torch.zeros(16, device="cuda")
slots = torch.zeros(max(SIZES), dtype=torch.long, device="cuda")
values = torch.zeros(max(SIZES), device="cuda")
graphs = {}
for size in reversed(SIZES):
    graphs[size] = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graphs[size]):
        cache.index_copy_(0, slots[:size], values[:size])


def store(batch, value):
    slots[: len(batch)].copy_(torch.tensor(batch))
    values.fill_(value)
    graphs[next(size for size in SIZES if size >= len(batch))].replay()


store([0, 1, 2, 3, 4, 5, 6, 7], 1.0)
cache[4:8].fill_(5.0)
store([8, 9, 10, 11, 12], 2.0)
assert cache[4:8].tolist() == [5, 5, 5, 5], "a slot of another request was overwritten"
