"""The input's memory has gone back to the driver when the graph is replayed."""

import torch


def capture():
    x = torch.full((64 << 20,), 2.0, device="cuda")  # cgsan: label
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = x * 2  # cgsan: label
    return graph, y


graph, y = capture()
torch.cuda.empty_cache()
graph.replay()  # cgsan: CG301
torch.cuda.synchronize()
