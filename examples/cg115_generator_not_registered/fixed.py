"""The generator is registered with the graph first."""

import torch

generator = torch.Generator(device="cuda").manual_seed(7)
noise = torch.empty(1024, device="cuda")
graph = torch.cuda.CUDAGraph()
graph.register_generator_state(generator)
with torch.cuda.graph(graph):
    noise.normal_(generator=generator)
graph.replay()
