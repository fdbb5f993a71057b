"""Eager calls set the metadata first, some of a larger size; replays fill that of the capture, and leave the attribute as it is."""

import torch


class Backend:
    mask = None


backend = Backend()
x = torch.zeros(4, device="cuda")
static_mask = torch.ones(4, device="cuda")


def model(x):
    return x * backend.mask


def eagerly(x, mask):
    backend.mask = mask
    return model(x)


eagerly(x, static_mask)
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = model(x)
for number in range(6):
    x.fill_(number)
    if number % 3 == 0:
        mask = torch.full((2, 4), float(number), device="cuda")
        print("eager", eagerly(x, mask)[0, 0].item(), "expected", number * number)
    else:
        static_mask.fill_(number)
        graph.replay()
        print("replay", y[0].item(), "expected", number * number)
