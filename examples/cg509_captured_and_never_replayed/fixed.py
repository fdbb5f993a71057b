"""The module is graphed in evaluation mode, as it is called: each call is a replay."""

import torch

model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU(), torch.nn.Linear(8, 8)).cuda()
x = torch.ones(4, 8, device="cuda")
model.eval()
model = torch.cuda.make_graphed_callables(model, (x,))

before = torch.cuda.memory_stats()["allocation.all.allocated"]
with torch.no_grad():
    for _ in range(4):
        y = model(x)
after = torch.cuda.memory_stats()["allocation.all.allocated"]
print(f"{after - before} allocations in four calls; a replay makes none")
