"""The device runs out of memory inside a capture."""

import torch

_, total = torch.cuda.mem_get_info()
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x + 1
    huge = torch.empty(2 * total, dtype=torch.uint8, device="cuda")  # cgsan: CG128
graph.replay()
