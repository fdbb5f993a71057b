"""One statement compares the results of two calls, which are the same output."""

import torch

x = torch.zeros(4, device="cuda")
weight = torch.arange(4.0, device="cuda")


def step():
    return x * weight + 1


step()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = step()


def run(value):
    x.fill_(value)
    with torch.no_grad():
        graph.replay()  # cgsan: CG211
        return y


def product(one, other):
    return (one * other).sum().item()


eager = product(torch.full_like(x, 1.0) * weight + 1, torch.full_like(x, 2.0) * weight + 1)
print("replay", product(run(1.0), run(2.0)), "eager", eager)
