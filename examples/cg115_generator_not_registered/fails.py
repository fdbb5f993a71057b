"""A captured operator draws from a generator that the graph does not know."""

import torch

generator = torch.Generator(device="cuda").manual_seed(7)
noise = torch.empty(1024, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    noise.normal_(generator=generator)  # cgsan: CG115
graph.replay()
