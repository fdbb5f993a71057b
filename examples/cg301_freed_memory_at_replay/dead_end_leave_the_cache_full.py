"""Without `empty_cache()` the memory stays mapped, and the replay reads whatever lies there."""

import torch


def capture():
    x = torch.tensor([1.0, 2.0], device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = x.clone()
    return graph, y  # `x` is freed here


graph, y = capture()
other = torch.tensor([8.0, 9.0], device="cuda")
graph.replay()
assert y.tolist() == [1.0, 2.0], y.tolist()
