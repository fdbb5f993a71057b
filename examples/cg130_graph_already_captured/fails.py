"""A runner keeps one graph object, and captures into it again for the next batch size."""

import torch

weight = torch.ones(16, 16, device="cuda")
graph = torch.cuda.CUDAGraph()


def run(size):
    x = torch.ones(size, 16, device="cuda")
    with torch.cuda.graph(graph):  # cgsan: CG130
        y = x * weight[0]
    graph.replay()
    return y


run(4)
run(8)
