"""The capture puts its cast of the weight into autocast's cache, and eager code reads it before a replay."""

import torch

model = torch.nn.Linear(16, 16, bias=False, device="cuda")
torch.nn.init.ones_(model.weight)
x = torch.ones(16, 16, device="cuda")
with torch.autocast("cuda", dtype=torch.bfloat16):
    model(x)
graph = torch.cuda.CUDAGraph()
with torch.autocast("cuda", dtype=torch.bfloat16):
    with torch.cuda.graph(graph):
        y = model(x)  # cgsan: label
    early = model(x)  # cgsan: CG204
with torch.autocast("cuda", dtype=torch.bfloat16):
    late = model(x)
print("replay", [early[0, 0].item()], "eager", [late[0, 0].item()])
