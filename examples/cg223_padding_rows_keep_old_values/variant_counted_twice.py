"""A smaller batch of tokens is counted by expert, and the rest of the batch before is counted once more."""

import torch

SIZE, EXPERTS = 6, 4


class Load:
    def __init__(self):
        self.counts = torch.zeros(EXPERTS, device="cuda")
        self.ones = torch.ones(SIZE, device="cuda")

    def add(self, experts):
        self.counts.index_add_(0, experts, self.ones[: len(experts)])


replayed, eager = Load(), Load()
experts = torch.zeros(SIZE, dtype=torch.long, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    replayed.add(experts)

tokens = torch.arange(9, device="cuda") % EXPERTS
for batch in tokens.split(SIZE):
    experts[: len(batch)] = batch  # cgsan: label
    graph.replay()  # cgsan: CG223
    eager.add(batch)
print("replay", replayed.counts.tolist(), "eager", eager.counts.tolist())
