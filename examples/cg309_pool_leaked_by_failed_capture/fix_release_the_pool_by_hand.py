"""Ending and releasing the pool of a failed capture lets its memory go back."""

import torch

torch.zeros(1, device="cuda")
current = torch.cuda.current_stream()
before = torch.cuda.memory_reserved()
pool = torch.cuda.graph_pool_handle()
graph = torch.cuda.CUDAGraph()
try:
    with torch.cuda.graph(graph, pool=pool):
        x = torch.empty(64 << 20, dtype=torch.uint8, device="cuda")
        torch.cuda.synchronize()
except torch.AcceleratorError:
    torch.cuda.set_stream(current)
del x
torch._C._cuda_endAllocateToPool(torch.cuda.current_device(), pool)
torch._C._cuda_releasePool(torch.cuda.current_device(), pool)
torch.cuda.empty_cache()
leaked = torch.cuda.memory_reserved() - before
assert leaked < 64 << 20, f"{leaked >> 20} MiB"
