"""The rows behind a smaller batch are set to a slot more than the cache needs, which nobody reads."""

import torch

DUMP = 8
slots = torch.full((4,), DUMP, device="cuda")
values = torch.zeros(4, device="cuda")
cache = torch.zeros(9, device="cuda")
reference = torch.zeros(9, device="cuda")


def write(cache, slots, values):
    cache.index_copy_(0, slots, values)


graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    write(cache, slots, values)


def replay(batch, rows):
    slots[: len(batch)].copy_(batch)
    slots[len(batch) :].fill_(DUMP)
    values[: len(rows)].copy_(rows)
    graph.replay()


def eager(batch, rows):
    write(reference, batch, rows)


def serve(step, cache):
    step(torch.arange(4, device="cuda"), torch.full((4,), 1.0, device="cuda"))
    cache[2:4].fill_(5.0)  # two requests are done, and another one is given their slots
    step(torch.arange(4, 6, device="cuda"), torch.full((2,), 2.0, device="cuda"))
    return cache[2:4].sum().item()


print("replay", [serve(replay, cache)], "eager", [serve(eager, reference)])
