"""Graphs are cached by the rows and the weights: each list of weights has a graph of its own, also where a list grows later."""

import torch

cache = {}
pool = torch.cuda.graph_pool_handle()


def blend(x, weights):
    out = torch.zeros_like(x)
    for number, weight in enumerate(weights):
        out += x.roll(number, 1) * weight
    return out


def capture(x, weights):
    static = x.clone()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, pool=pool):
        out = blend(static, weights)
    return graph, static, out


def run(x, weights):
    key = len(x), tuple(weights)
    if key not in cache:
        blend(x, weights)
        torch.cuda.synchronize()
        cache[key] = capture(x, weights)
    graph, static, out = cache[key]
    static.copy_(x)
    graph.replay()
    return out


x = torch.arange(8.0, device="cuda").repeat(2, 1)
weights = [0.5, 0.25]
replayed, eager = [], []
for step in range(8):
    chosen = weights if step % 2 else [1.0, 2.0]
    replayed.append(run(x, chosen).sum().item())
    eager.append(blend(x, chosen).sum().item())
    if step == 3:
        weights.append(0.125)
print("replay", replayed, "eager", eager)
