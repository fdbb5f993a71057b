"""The origin stream waits for the fork before the capture ends."""

import torch

side = torch.cuda.Stream()
x = torch.zeros(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    origin = torch.cuda.current_stream()
    side.wait_stream(origin)
    with torch.cuda.stream(side):
        y = x.clone()
    origin.wait_stream(side)

x.copy_(torch.full((4,), 3.0))
graph.replay()
assert y.tolist() == [3.0] * 4
