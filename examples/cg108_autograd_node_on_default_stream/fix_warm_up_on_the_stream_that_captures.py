"""Accumulators that survive the warm-up belong to the stream that captures."""

import torch

side = torch.cuda.Stream()
model = torch.nn.Linear(64, 64, device="cuda")
x = torch.ones(16, 64, device="cuda")

side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    for _ in range(3):
        model.zero_grad()
        loss = model(x).sum()
        loss.backward()
torch.cuda.current_stream().wait_stream(side)

graph = torch.cuda.CUDAGraph()
model.zero_grad()
with torch.cuda.graph(graph, stream=side):
    model(x).sum().backward()

graph.replay()
torch.cuda.synchronize()
assert all(parameter.grad is not None for parameter in model.parameters())
