"""Zeroing before the replay drops the same memory."""

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
for _ in range(3):
    optimizer.zero_grad()
    graph.replay()
    optimizer.step()
assert layer.weight[0].tolist() == [-3.0] * 4, layer.weight
