"""Forward and backward are captured; the optimizer steps eagerly after each replay."""

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

optimizer.zero_grad(set_to_none=True)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, stream=side):
    model(x).square().mean().backward()

for _ in range(3):
    graph.replay()
    optimizer.step()
assert optimizer.state[model.weight]["step"].item() == 3
