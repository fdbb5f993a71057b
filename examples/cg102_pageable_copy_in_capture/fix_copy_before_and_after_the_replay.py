"""Copy before and after the replay."""

import torch

static_input = torch.zeros(4, device="cuda")
graph = torch.cuda.CUDAGraph()

with torch.cuda.graph(graph):
    static_output = static_input * 2

for batch in torch.arange(8.0).reshape(2, 4):
    static_input.copy_(batch)
    graph.replay()
    print(static_output.cpu())
