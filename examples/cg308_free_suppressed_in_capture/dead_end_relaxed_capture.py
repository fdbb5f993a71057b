"""A relaxed capture lets the driver free memory, and PyTorch's allocator still does not ask it to."""

import torch

more_than_half = int(torch.cuda.mem_get_info()[1] * 0.55)
x = torch.empty(more_than_half, dtype=torch.uint8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, capture_error_mode="relaxed"):
    del x
    torch.cuda.empty_cache()
    y = torch.empty(more_than_half, dtype=torch.uint8, device="cuda")
