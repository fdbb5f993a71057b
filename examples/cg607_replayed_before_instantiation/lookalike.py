"""Each new batch size resets the graph, captures into the same object, and replays it then."""

import torch

graph = torch.cuda.CUDAGraph()
for size in (4, 8, 4):
    x = torch.zeros(size, 8, device="cuda")
    with torch.cuda.graph(graph):
        y = x * 2
    for value in (1.0, 2.0):
        x.copy_(torch.full((size, 8), value, device="cuda"))
        graph.replay()
        result = y.clone()
    torch.cuda.synchronize()
    del y
    graph.reset()
