"""The decay of an average rises in eager turns of the loop; the graph is captured with what it stays at."""

import torch

x = torch.zeros(4, device="cuda")
mean = torch.zeros(4, device="cuda")
decay, graph = 0.0, None

for turn in range(8):
    x.fill_(turn)
    if decay < 0.75:
        decay += 0.25
        mean.lerp_(x, 1 - decay)
        continue
    if graph is None:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            mean.lerp_(x, 1 - decay)
    graph.replay()
print(mean[0].item())
