"""A forked stream has work, and the capture ends without waiting for it."""

import torch

x = torch.ones(1024, device="cuda")
side = torch.cuda.Stream()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):  # cgsan: CG106
    side.wait_stream(torch.cuda.current_stream())  # cgsan: label
    with torch.cuda.stream(side):
        left = x.cos()
    right = x.sin()
graph.replay()
