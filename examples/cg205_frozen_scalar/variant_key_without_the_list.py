"""Graphs are cached by the number of rows; the weights of the sum, a list, are not in the key, and those of the first call stay."""

import torch

cache = {}
pool = torch.cuda.graph_pool_handle()


def blend(x, weights):
    out = torch.zeros_like(x)
    for number, weight in enumerate(weights):
        out += x.roll(number, 1) * weight  # cgsan: CG205
    return out


def capture(x, weights):
    static = x.clone()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, pool=pool):  # cgsan: label
        out = blend(static, weights)
    return graph, static, out


def run(x, weights):
    rows = len(x)
    if rows not in cache:
        blend(x, weights)
        torch.cuda.synchronize()
        cache[rows] = capture(x, weights)
    graph, static, out = cache[rows]
    static.copy_(x)
    graph.replay()  # cgsan: label
    return out


x = torch.arange(8.0, device="cuda").repeat(2, 1)
first = run(x, [0.5, 0.25]).sum().item()
replayed = [run(x, [1.0, 2.0]).sum().item() for _ in range(3)]
print("replay", [first, *replayed], "eager", [first, *[blend(x, [1.0, 2.0]).sum().item()] * 3])
