"""The rows behind each batch are set to a spare row of the cache before it is copied."""

import torch

SIZE, DUMP = 4, 8
cache = torch.zeros(DUMP + 1, device="cuda")
slots = torch.full((SIZE,), DUMP, device="cuda")
values = torch.zeros(SIZE, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    cache.index_copy_(0, slots, values)


def store(batch, value):
    slots.fill_(DUMP)
    slots[: len(batch)].copy_(torch.tensor(batch))
    values.fill_(value)
    graph.replay()


store([0, 1, 2, 3], 1.0)
cache[2:4].fill_(5.0)
store([4, 5], 2.0)
assert cache[:DUMP].tolist() == [1, 1, 5, 5, 2, 2, 0, 0]
