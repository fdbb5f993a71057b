"""A copy that does not block is captured, so its host memory is not written before a replay."""

import torch

x = torch.full((1,), 7.0).cuda()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    host = x.to("cpu", non_blocking=True)
    value = host.item()

assert value == 7.0, f"read {value} before any replay"
