"""Eager tensors in the graph's pool do reuse its blocks, and the next replay writes over them."""

import torch

x = torch.tensor([1.0, 2.0], device="cuda")
pool = torch.cuda.MemPool()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, pool=pool.id):
    temporary = x.clone()
    y = temporary.clone()
    del temporary

with torch.cuda.use_mem_pool(pool), torch.cuda.stream(torch.cuda.graph.default_capture_stream):
    z = torch.tensor([7.0, 8.0], device="cuda")
torch.cuda.synchronize()
graph.replay()
assert z.tolist() == [7.0, 8.0], z.tolist()
