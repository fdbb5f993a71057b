"""Read the value after the replay."""

import torch

x = torch.randn(64, device="cuda")
graph = torch.cuda.CUDAGraph()

with torch.cuda.graph(graph):
    loss = x.square().mean()

graph.replay()
print(loss.item())
