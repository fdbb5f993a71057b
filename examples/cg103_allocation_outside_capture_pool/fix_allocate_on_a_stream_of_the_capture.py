"""A tensor made on a stream that was forked from the capture comes from the graph's pool."""

import torch

side = torch.cuda.Stream()
x = torch.zeros(128, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    origin = torch.cuda.current_stream()
    side.wait_stream(origin)
    with torch.cuda.stream(side):
        y = x.clone()
    origin.wait_stream(side)

x.copy_(torch.full((128,), 2.0))
graph.replay()
assert y.tolist() == x.tolist()
