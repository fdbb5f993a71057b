"""A list keeps the results of calls with two sizes, each of which has a graph that is replayed twice."""

import torch

graphs = {}


def step(x):
    return x + 1


def run(x):
    size = len(x)
    if size not in graphs:
        static = torch.zeros_like(x)
        step(static)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            y = step(static)
        graphs[size] = graph, static, y
    graph, static, y = graphs[size]
    static.copy_(x)
    graph.replay()  # cgsan: CG211
    return y


batches = [
    torch.full((size,), float(size + 4 * turn), device="cuda") for turn in (0, 1) for size in (1, 2)
]
results = []
for batch in batches:
    results.append(run(batch))
print("replay", [it[0].item() for it in results], "eager", [step(it)[0].item() for it in batches])
