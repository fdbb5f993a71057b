"""Each turn keeps its input and its result as a pair, which the next turn reads behind its own replay."""

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
    graph.replay()  # cgsan: CG211
    return result[:3]


def check(turns):
    differences = []
    last = None
    for number in range(turns):
        wanted, got = torch.full((3,), 2.0 * number, device="cuda"), step(number)
        if last is not None:
            differences.append((last[0] - last[1]).abs().max().item())
        last = wanted, got  # cgsan: label
    return differences


print("replay", check(6), "eager", [0.0] * 5)
