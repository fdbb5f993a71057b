"""The captured step reads the gradients by their addresses."""

import torch

layer = torch.nn.Linear(4, 1, bias=False, device="cuda")
torch.nn.init.zeros_(layer.weight)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.5)
batch = torch.ones(2, 4, device="cuda")

layer(batch).sum().backward()
optimizer.zero_grad()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    layer(batch).sum().backward()
    optimizer.step()
for _ in range(3):
    optimizer.zero_grad()
    graph.replay()
assert layer.weight[0].tolist() == [-3.0] * 4, layer.weight
