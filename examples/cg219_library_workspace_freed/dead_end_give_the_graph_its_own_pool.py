"""The warm-up made the workspace of the stream, so that it lies in no graph's pool."""

import torch

stream = torch.cuda.Stream()
x = torch.ones(128, 1 << 15, device="cuda", dtype=torch.bfloat16)
with torch.cuda.stream(stream):
    x @ x.T
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, pool=torch.cuda.graph_pool_handle(), stream=stream):
    y = x @ x.T

torch._C._cuda_clearCublasWorkspaces()
with torch.cuda.stream(stream):
    cache = torch.zeros(8 << 20, device="cuda")
    graph.replay()
torch.cuda.synchronize()
assert cache.count_nonzero().item() == 0, "the replay wrote to memory that is the cache's by now"
