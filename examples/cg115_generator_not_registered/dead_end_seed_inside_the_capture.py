"""Setting the seed inside the capture does not register the generator."""

import torch

generator = torch.Generator(device="cuda").manual_seed(7)
noise = torch.empty(1024, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    generator.manual_seed(7)
    noise.normal_(generator=generator)
