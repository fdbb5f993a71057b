"""A wait of the host does not join the fork: it is refused itself."""

import torch

x = torch.ones(1024, device="cuda")
side = torch.cuda.Stream()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        y = x.cos()
    torch.cuda.synchronize()
