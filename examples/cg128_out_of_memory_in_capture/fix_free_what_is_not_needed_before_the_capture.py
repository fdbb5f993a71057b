"""Free what is not needed before the capture."""

import torch

x = torch.empty(1 << 20, dtype=torch.uint8, device="cuda")
graph = torch.cuda.CUDAGraph()

del x
torch.cuda.empty_cache()
with torch.cuda.graph(graph):
    y = torch.empty(1 << 20, dtype=torch.uint8, device="cuda")
    y.fill_(1)

graph.replay()
