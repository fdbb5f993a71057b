"""Waiting for the device does not record the events of a capture."""

import torch

a = torch.randn(64, device="cuda")
start = torch.cuda.Event(enable_timing=True)
end = torch.cuda.Event(enable_timing=True)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    start.record()
    b = a + 1
    end.record()

torch.cuda.synchronize()
start.elapsed_time(end)
