"""Matrix products on the origin and on a forked stream, warmed up on the first alone."""

import torch

x = torch.ones(64, 64, device="cuda")
x @ x
torch.cuda.synchronize()
side = torch.cuda.Stream()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        y = x @ x
    z = x @ x
    torch.cuda.current_stream().wait_stream(side)
graph.replay()
