"""Batches that are too large for a graph run eagerly, and take a branch that depends on their size."""

import torch


def step(x):
    y = x * 2
    if len(x) > 4:
        y = y + 1
    return y * 2


graphs, pool = {}, torch.cuda.graph_pool_handle()


def run(x):
    size = next((it for it in (1, 2, 4) if it >= len(x)), None)
    if size is None:
        return step(x)
    if size not in graphs:
        static = torch.zeros(size, device="cuda")
        step(static)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=pool):
            y = step(static)
        graphs[size] = graph, static, y
    graph, static, y = graphs[size]
    static[: len(x)] = x
    graph.replay()
    return y[: len(x)].clone()


replayed, eager = [], []
for count in (3, 9, 1, 4, 6, 2, 3, 9):
    x = torch.ones(count, device="cuda")
    replayed.append(run(x).sum().item())
    eager.append(step(x).sum().item())
print("replay", replayed, "eager", eager)
