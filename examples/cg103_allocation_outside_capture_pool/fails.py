"""Memory for a stream that takes no part in the capture is asked for inside it."""

import torch

x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x + 1
    with torch.cuda.stream(torch.cuda.default_stream()):
        scratch = torch.empty(64 << 20, device="cuda")  # cgsan: CG103
    z = y * 2
graph.replay()
