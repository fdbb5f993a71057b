"""Autocast begins anew inside the capture, so that the cast of the weight is in the graph."""

import torch

model = torch.nn.Linear(16, 16, bias=False, device="cuda")
torch.nn.init.zeros_(model.weight)
x = torch.ones(16, 16, device="cuda")


def step():
    with torch.autocast("cuda", dtype=torch.bfloat16):
        return model(x)


step()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = step()

replayed, eager = [], []
for value in (1.0, 2.0, 3.0):
    torch.nn.init.constant_(model.weight, value)
    graph.replay()
    replayed.append(y[0, 0].item())
for value in (1.0, 2.0, 3.0):
    torch.nn.init.constant_(model.weight, value)
    eager.append(step()[0, 0].item())
print("replay", replayed, "eager", eager)
