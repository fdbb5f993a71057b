"""The graph is given back before the object takes the next one."""

import torch

graph = torch.cuda.CUDAGraph()
for size in (4, 8):
    x = torch.ones(size, 16, device="cuda")
    with torch.cuda.graph(graph):
        y = x + 1
    graph.replay()
    torch.cuda.synchronize()
    del y
    graph.reset()
