"""`del` and `empty_cache()` inside the capture give nothing back that the capture could use."""

import torch

_, total = torch.cuda.mem_get_info()
x = torch.empty(int(total * 0.6), dtype=torch.uint8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    del x
    torch.cuda.empty_cache()
    y = torch.empty(int(total * 0.6), dtype=torch.uint8, device="cuda")
