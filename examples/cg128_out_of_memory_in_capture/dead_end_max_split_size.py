"""With `max_split_size_mb` the allocator calls `cudaFree` before it gives up, and the capture is lost."""

import os

os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "max_split_size_mb:64"

import torch

_, total = torch.cuda.mem_get_info()
size = int(total * 0.6)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    x = torch.empty(size, dtype=torch.uint8, device="cuda")
    del x
    y = torch.empty(2 * size, dtype=torch.uint8, device="cuda")
