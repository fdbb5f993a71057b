"""Use the default generator."""

import torch

torch.cuda.manual_seed(1234)
graph = torch.cuda.CUDAGraph()

with torch.cuda.graph(graph):
    x = torch.randint(1024, (4,), device="cuda")

for _ in range(3):
    graph.replay()
    print(x.tolist())
