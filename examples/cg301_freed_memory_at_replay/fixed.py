"""The input is kept beside the graph, and stays when the cache is emptied."""

import torch


def capture():
    x = torch.full((64 << 20,), 2.0, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = x * 2
    return graph, x, y


graph, x, y = capture()
torch.cuda.empty_cache()
graph.replay()
torch.cuda.synchronize()
