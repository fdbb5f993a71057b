"""The optimizer is made with `capturable=True` and has taken its first steps before the capture."""

import torch

model = torch.nn.Linear(64, 64, device="cuda")
x = torch.randn(16, 64, device="cuda")
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, capturable=True)


def step():
    optimizer.zero_grad(set_to_none=True)
    model(x).square().mean().backward()
    optimizer.step()


side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    for _ in range(3):
        step()
torch.cuda.current_stream().wait_stream(side)

graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, stream=side):
    step()
graph.replay()
assert optimizer.state[model.weight]["step"].is_cuda
