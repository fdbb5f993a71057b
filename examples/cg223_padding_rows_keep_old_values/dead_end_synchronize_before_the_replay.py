"""The old slots are no matter of timing: they lie there however long the host waits."""

import torch

cache = torch.zeros(8, device="cuda")
slots = torch.zeros(4, dtype=torch.long, device="cuda")
values = torch.zeros(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    cache.index_copy_(0, slots, values)


def store(batch, value):
    slots[: len(batch)].copy_(torch.tensor(batch))
    values.fill_(value)
    torch.cuda.synchronize()
    graph.replay()


store([0, 1, 2, 3], 1.0)
cache[2:4].fill_(5.0)
store([4, 5], 2.0)
assert cache.tolist() == [1, 1, 5, 5, 2, 2, 0, 0], "two slots of another request were overwritten"
