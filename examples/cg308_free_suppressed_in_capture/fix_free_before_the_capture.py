"""Memory freed before the capture goes back to the driver when the capture begins, and is there for the pool."""

import torch

more_than_half = int(torch.cuda.mem_get_info()[1] * 0.55)
x = torch.empty(more_than_half, dtype=torch.uint8, device="cuda")
del x
torch.cuda.empty_cache()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = torch.empty(more_than_half, dtype=torch.uint8, device="cuda")
    y[:1].fill_(1)
