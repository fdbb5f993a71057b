"""A cache of the results of a function has the same output for each argument."""

import functools

import torch

x = torch.zeros(4, device="cuda")


def step():
    return x * 2


step()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = step()


@functools.lru_cache
def run(value):
    x.fill_(value)
    graph.replay()  # cgsan: CG211
    return y


values = (1.0, 2.0, 3.0, 1.0, 2.0)
print("replay", [run(it)[0].item() for it in values], "eager", [2 * it for it in values])
