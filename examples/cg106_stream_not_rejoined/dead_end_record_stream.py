"""`record_stream` tells the allocator who uses the memory; the fork stays without a join."""

import torch

x = torch.ones(1024, device="cuda")
side = torch.cuda.Stream()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        y = x.cos()
    y.record_stream(torch.cuda.current_stream())
