"""Ids of zero behind a smaller batch change what is written to the old slots, and not where."""

import torch

table = torch.arange(8.0, device="cuda")
cache = torch.zeros(8, device="cuda")
ids = torch.zeros(4, dtype=torch.long, device="cuda")
slots = torch.zeros(4, dtype=torch.long, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    cache.index_copy_(0, slots, table[ids])


def store(new_slots, new_ids):
    ids.zero_()
    ids[: len(new_ids)].copy_(torch.tensor(new_ids))
    slots[: len(new_slots)].copy_(torch.tensor(new_slots))
    graph.replay()


store([0, 1, 2, 3], [4, 5, 6, 7])
store([4, 5], [1, 2])
assert cache.tolist() == [4, 5, 6, 7, 1, 2, 0, 0], "two keys of the first batch were overwritten"
