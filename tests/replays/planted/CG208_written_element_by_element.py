"""The host writes the scalars of the next step one by one, while the last replay may not have copied the ones before."""

import torch

host, scalars = torch.zeros(4).pin_memory(), torch.zeros(4, device="cuda")
total = torch.zeros(4, device="cuda")


def step():
    scalars.copy_(host, non_blocking=True)
    total.add_(scalars.sum())


step()
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):  # cgsan: label
    step()

total.zero_()
for number in range(6):
    for place in range(4):
        host[place] = float(number)  # cgsan: CG208
    graph.replay()
torch.cuda.synchronize()
print("replay", total[0].item(), "eager", 60.0)
