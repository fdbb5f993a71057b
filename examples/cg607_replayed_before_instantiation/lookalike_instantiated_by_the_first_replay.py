"""With `keep_graph=True` and no `instantiate()`, the first replay makes the executable."""

import torch

x = torch.zeros(8, device="cuda")
graph = torch.cuda.CUDAGraph(keep_graph=True)
with torch.cuda.graph(graph):
    y = x + 1
assert graph.raw_cuda_graph() != 0

for value in (1.0, 2.0):
    x.copy_(torch.full((8,), value, device="cuda"))
    graph.replay()
    result = y.clone()
torch.cuda.synchronize()
