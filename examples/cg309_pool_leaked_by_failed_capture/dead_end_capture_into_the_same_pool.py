"""A pool that a failed capture left open takes no second capture."""

import torch

current = torch.cuda.current_stream()
pool = torch.cuda.graph_pool_handle()
try:
    with torch.cuda.graph(torch.cuda.CUDAGraph(), pool=pool):
        torch.cuda.synchronize()
except torch.AcceleratorError:
    torch.cuda.set_stream(current)

with torch.cuda.graph(torch.cuda.CUDAGraph(), pool=pool):
    x = torch.zeros(8, device="cuda")
