"""The captured work fits into the device's memory."""

import torch

_, total = torch.cuda.mem_get_info()
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x + 1
    large = torch.empty(total // 16, dtype=torch.uint8, device="cuda")
graph.replay()
