"""All twelve layers are one graph."""

import torch

layers = [torch.nn.Linear(32, 32).cuda() for _ in range(12)]
x = torch.ones(16, 32, device="cuda")
with torch.no_grad():
    layers[0](x)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = x
        for layer in layers:
            y = torch.relu(layer(y))

for step in range(6):
    x.fill_(step)
    graph.replay()
print(y.shape)
