"""A workspace that the capture itself allocates lies in the graph's pool, where a later clearing leaves it."""

import torch

stream = torch.cuda.Stream()
x = torch.ones(128, 1 << 15, device="cuda", dtype=torch.bfloat16)
with torch.cuda.stream(stream):
    x @ x.T
torch.cuda.synchronize()
torch._C._cuda_clearCublasWorkspaces()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, stream=stream):
    y = x @ x.T

torch._C._cuda_clearCublasWorkspaces()
with torch.cuda.stream(stream):
    cache = torch.zeros(8 << 20, device="cuda")
    graph.replay()
torch.cuda.synchronize()
assert cache.count_nonzero().item() == 0
assert y[0, 0].item() == 1 << 15
