"""Register the generator before the capture."""

import torch

generator = torch.Generator(device="cuda")
generator.manual_seed(1234)
graph = torch.cuda.CUDAGraph()
graph.register_generator_state(generator)

with torch.cuda.graph(graph):
    x = torch.randint(1024, (4,), generator=generator, device="cuda")

for _ in range(3):
    graph.replay()
    print(x.tolist())
