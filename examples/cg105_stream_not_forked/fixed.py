"""The second stream first waits for the first, which makes it part of the capture."""

import torch

x = torch.ones(1024, device="cuda")
side = torch.cuda.Stream()


def both_halves():
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        left = x.cos()
    right = x.sin()
    torch.cuda.current_stream().wait_stream(side)
    return left + right


both_halves()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = both_halves()
graph.replay()
