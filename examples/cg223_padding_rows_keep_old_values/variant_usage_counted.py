"""How often each expert is chosen is added up on the device: a smaller batch leaves choices of the one before behind, which count again."""

import torch

EXPERTS, LARGEST = 6, 4
experts = torch.zeros(LARGEST, dtype=torch.long, device="cuda")
one = torch.ones(LARGEST, device="cuda")
usage = torch.zeros(EXPERTS, device="cuda")


def count():
    usage.index_add_(0, experts, one)  # cgsan: label


count()
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):  # cgsan: label
    count()
usage.zero_()
counted = 0
for chosen in ([0, 1, 2, 3], [4, 5], [0, 0, 1]):
    experts[: len(chosen)].copy_(torch.tensor(chosen))  # cgsan: label
    graph.replay()  # cgsan: CG223
    counted += len(chosen)
print("replay", int(usage.sum().item()), "eager", counted)
