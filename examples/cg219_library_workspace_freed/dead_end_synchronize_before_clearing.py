"""Waiting for the device before the clearing helps the replays of the past, not those to come."""

import torch

stream = torch.cuda.Stream()
x = torch.ones(128, 1 << 15, device="cuda", dtype=torch.bfloat16)
with torch.cuda.stream(stream):
    x @ x.T
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, stream=stream):
    y = x @ x.T

torch.cuda.synchronize()
torch._C._cuda_clearCublasWorkspaces()
with torch.cuda.stream(stream):
    cache = torch.zeros(8 << 20, device="cuda")
    graph.replay()
torch.cuda.synchronize()
assert cache.count_nonzero().item() == 0, "the replay wrote to memory that is the cache's by now"
