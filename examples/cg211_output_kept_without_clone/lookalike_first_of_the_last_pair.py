"""Each turn keeps its input and its result as a pair; the next turn reads the input alone, which has memory of its own."""

import torch

x = torch.zeros(4, device="cuda")


def compute():
    return x * 2


compute()
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    result = compute()


def step(number):
    x.fill_(number)
    graph.replay()
    return result[:3]


def check(turns):
    sums = []
    last = None
    for number in range(turns):
        wanted, got = torch.full((3,), 2.0 * number, device="cuda"), step(number)
        if last is not None:
            sums.append((last[0].sum() + got.sum()).item())
        last = wanted, got
    return sums


print("replay", check(6), "eager", [6.0 * (2 * number - 1) for number in range(1, 6)])
