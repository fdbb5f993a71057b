"""A graph of two streams: what `--graphs` says of it is known."""

import torch

graph = torch.cuda.CUDAGraph()
side = torch.cuda.Stream()
x = torch.zeros(1000, device="cuda")
host = torch.zeros(1000).pin_memory()

with torch.cuda.graph(graph):
    x.copy_(host, non_blocking=True)
    side.wait_stream(torch.cuda.current_stream())  # the fork
    with torch.cuda.stream(side):
        y = x.sin()
    z = x.cos()
    torch.cuda.current_stream().wait_stream(side)  # the join
    w = y + z

for _ in range(5):
    graph.replay()

failing = torch.cuda.CUDAGraph()
try:
    with torch.cuda.graph(failing):
        w.add_(1)
        torch.cuda.synchronize()  # refused
except RuntimeError:
    pass
