"""Draws before the capture do not make the generator known to the graph."""

import torch

generator = torch.Generator(device="cuda").manual_seed(7)
noise = torch.empty(1024, device="cuda")
for _ in range(3):
    noise.normal_(generator=generator)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    noise.normal_(generator=generator)
