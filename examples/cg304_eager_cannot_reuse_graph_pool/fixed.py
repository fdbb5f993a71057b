"""The validation is captured too, into the graph's pool."""

import torch

x = torch.empty(128 << 20, dtype=torch.uint8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    temporary = x * 2
    y = temporary[:1].clone()
    del temporary

rest = torch.cuda.CUDAGraph()
with torch.cuda.graph(rest, pool=graph.pool()):
    z = x * 3
    last = z[:1].clone()
    del z

for _ in range(4):
    graph.replay()
    rest.replay()
    last.clone()
torch.cuda.synchronize()
