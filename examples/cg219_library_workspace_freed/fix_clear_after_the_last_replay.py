"""The workspaces are cleared once no graph that was captured with them is replayed again."""

import torch

stream = torch.cuda.Stream()
x = torch.ones(128, 1 << 15, device="cuda", dtype=torch.bfloat16)
with torch.cuda.stream(stream):
    x @ x.T
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, stream=stream):
    y = x @ x.T

with torch.cuda.stream(stream):
    graph.replay()
torch.cuda.synchronize()
assert y[0, 0].item() == 1 << 15
graph.reset()
torch._C._cuda_clearCublasWorkspaces()
with torch.cuda.stream(stream):
    cache = torch.zeros(8 << 20, device="cuda")
torch.cuda.synchronize()
assert cache.count_nonzero().item() == 0
