"""Weights that are loaded into new memory get a new graph, and the old one is reset."""

import torch


def capture(x, weight):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = x * weight
    return graph, y


x = torch.ones(4, device="cuda")
weight = torch.full((4,), 3.0, device="cuda")
graph, y = capture(x, weight)
graph.replay()
assert y.tolist() == [3, 3, 3, 3]

saved = weight.cpu()
graph.reset()
weight.untyped_storage().resize_(0)
weight = saved.cuda()
graph, y = capture(x, weight)
graph.replay()
assert y.tolist() == [3, 3, 3, 3]
