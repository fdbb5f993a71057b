"""A tensor that stays is made in the memory of a large one that went: the rest of it serves no graph."""

import torch

large = torch.ones(256, 1024, 1024, device="cuda")
del large
kept = torch.ones(16, 1024, 1024, device="cuda")

reserved = torch.cuda.memory_reserved()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):  # cgsan: CG305
    y = kept.repeat(4, 1, 1)
graph.replay()
print("reserved by the capture:", (torch.cuda.memory_reserved() - reserved) >> 20, "MiB")
