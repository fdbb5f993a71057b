"""Each plan has a graph of its own, and a step replays the one of its plan."""

import torch

tokens = torch.arange(8.0, device="cuda")
graphs = {}


def run(lengths):
    return torch.stack([part.sum() for part in tokens.split(lengths)])


def step(lengths):
    key = tuple(lengths)
    if key not in graphs:
        run(lengths)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            y = run(lengths)
        graphs[key] = graph, y
    graph, y = graphs[key]
    graph.replay()
    return y.tolist()


for lengths, expected in (([2, 6], [1, 27]), ([4, 4], [6, 22]), ([2, 6], [1, 27])):
    assert step(lengths) == expected
assert len(graphs) == 2
