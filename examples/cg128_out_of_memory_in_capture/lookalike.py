"""The device runs out of memory before the capture, and the program copes with it."""

import torch

_, total = torch.cuda.mem_get_info()
x = torch.ones(8, device="cuda")
try:
    torch.empty(2 * total, dtype=torch.uint8, device="cuda")
except torch.OutOfMemoryError:
    print("too large")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x + 1
graph.replay()
