"""A capture is begun on the default stream."""

import torch

x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, stream=torch.cuda.default_stream()):  # cgsan: CG121
    y = x + 1
graph.replay()
