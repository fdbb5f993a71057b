"""Capture forward and backward, step outside."""

import torch

model = torch.nn.Linear(64, 64, device="cuda")
x = torch.randn(16, 64, device="cuda")
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    for _ in range(3):
        model(x).square().mean().backward()
torch.cuda.current_stream().wait_stream(side)

for parameter in model.parameters():
    parameter.grad.zero_()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, stream=side):
    for parameter in model.parameters():
        parameter.grad.zero_()
    model(x).square().mean().backward()

for _ in range(3):
    graph.replay()
    optimizer.step()
