"""The legacy default stream cannot be forked from a capture: the wait is refused with 906."""

import torch

x = torch.zeros(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x + 1
    torch.cuda.default_stream().wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(torch.cuda.default_stream()):
        y = y * 2
graph.replay()
