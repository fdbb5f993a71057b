"""Each batch size has a graph object of its own."""

import torch

weight = torch.ones(16, 16, device="cuda")
graphs = {}


def run(size):
    x = torch.ones(size, 16, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = x * weight[0]
    graphs[size] = (graph, x, y)
    graph.replay()
    return y


run(4)
run(8)
