"""The copy is from pinned memory that outlives the graph, and does not block."""

import torch

weight = torch.zeros(8, device="cuda")
staging = torch.arange(8.0).pin_memory()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    ramp = staging.to("cuda", non_blocking=True)
    weight += ramp
graph.replay()
torch.cuda.synchronize()
