"""A warm-up fills autocast's cache, and the capture in the same block reads the cast weight from it."""

import torch

model = torch.nn.Linear(16, 16, bias=False, device="cuda")
torch.nn.init.zeros_(model.weight)
x = torch.ones(16, 16, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.autocast("cuda", dtype=torch.bfloat16):
    model(x)  # cgsan: label
    with torch.cuda.graph(graph):
        y = model(x)

replayed, eager = [], []
for value in (1.0, 2.0, 3.0):
    torch.nn.init.constant_(model.weight, value)
    graph.replay()  # cgsan: CG204
    replayed.append(y[0, 0].item())
for value in (1.0, 2.0, 3.0):
    torch.nn.init.constant_(model.weight, value)
    with torch.autocast("cuda", dtype=torch.bfloat16):
        eager.append(model(x)[0, 0].item())
print("replay", replayed, "eager", eager)
