"""Whoever holds the graph holds its inputs too."""

import torch


def capture():
    static = torch.ones(4, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = static * 2
    return graph, static, y


graph, static, y = capture()
other = torch.randn(4, device="cuda")
graph.replay()
assert y.tolist() == [2, 2, 2, 2]
