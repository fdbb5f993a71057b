"""Ask after the replay."""

import torch

x = torch.randn(8, device="cuda")
done = torch.cuda.Event()
graph = torch.cuda.CUDAGraph()

with torch.cuda.graph(graph):
    y = (x + 1) * 2

graph.replay()
done.record()
while not done.query():
    pass
