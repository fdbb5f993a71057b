"""The graphed function that make_graphed_callables returns is dropped, and the old one called."""

import torch

weight = torch.full((8, 8), 0.5, device="cuda", requires_grad=True)
x = torch.ones(4, 8, device="cuda")


def score(x, weight):
    hidden = torch.relu(x @ weight)
    return torch.sigmoid(hidden @ weight)


torch.cuda.make_graphed_callables(score, (x, weight))  # cgsan: label
before = torch.cuda.memory_stats()["allocation.all.allocated"]
with torch.no_grad():
    for _ in range(4):
        y = score(x, weight)  # cgsan: CG509
after = torch.cuda.memory_stats()["allocation.all.allocated"]
print(f"{after - before} allocations in four calls; a replay makes none")
