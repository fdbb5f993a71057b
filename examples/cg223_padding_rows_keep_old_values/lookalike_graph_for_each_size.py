"""Each size has a graph that writes through exactly the rows that are copied; the others may be old."""

import torch

slots = torch.zeros(4, dtype=torch.long, device="cuda")
values = torch.zeros(4, device="cuda")
cache = torch.zeros(8, device="cuda")
reference = torch.zeros(8, device="cuda")


def write(cache, slots, values):
    cache.index_copy_(0, slots, values)


graphs = {}
for size in (4, 3, 2, 1):
    graphs[size] = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graphs[size]):
        write(cache, slots[:size], values[:size])


def replay(batch, rows):
    slots[: len(batch)].copy_(batch)
    values[: len(rows)].copy_(rows)
    graphs[len(batch)].replay()


def eager(batch, rows):
    write(reference, batch, rows)


def serve(step, cache):
    step(torch.arange(4, device="cuda"), torch.full((4,), 1.0, device="cuda"))
    cache[2:4].fill_(5.0)  # two requests are done, and another one is given their slots
    step(torch.arange(4, 6, device="cuda"), torch.full((2,), 2.0, device="cuda"))
    return cache[2:4].sum().item()


print("replay", [serve(replay, cache)], "eager", [serve(eager, reference)])
