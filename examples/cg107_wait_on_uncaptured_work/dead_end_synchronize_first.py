"""The wait is refused although what it waits for is long done."""

import torch

x = torch.ones(1024, device="cuda")
side = torch.cuda.Stream()
with torch.cuda.stream(side):
    x.mul_(2)
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    torch.cuda.current_stream().wait_stream(side)
