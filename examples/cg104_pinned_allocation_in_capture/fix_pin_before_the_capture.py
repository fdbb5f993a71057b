"""The pinned buffer is made before the capture, which only copies into it."""

import torch

x = torch.zeros(8, device="cuda")
host = torch.empty(8, pin_memory=True)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    host.copy_(x, non_blocking=True)

x.copy_(torch.full((8,), 3.0))
graph.replay()
torch.cuda.synchronize()
assert host.tolist() == [3.0] * 8
