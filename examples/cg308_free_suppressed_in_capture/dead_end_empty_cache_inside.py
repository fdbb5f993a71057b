"""`empty_cache()` gives no eager memory back while a capture runs."""

import torch

more_than_half = int(torch.cuda.mem_get_info()[1] * 0.55)
x = torch.empty(more_than_half, dtype=torch.uint8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    del x
    torch.cuda.empty_cache()
    y = torch.empty(more_than_half, dtype=torch.uint8, device="cuda")
