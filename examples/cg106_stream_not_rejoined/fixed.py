"""The capturing stream waits for the forked one before the capture ends."""

import torch

x = torch.ones(1024, device="cuda")
side = torch.cuda.Stream()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        left = x.cos()
    right = x.sin()
    torch.cuda.current_stream().wait_stream(side)
graph.replay()
