# --- fails
import torch


def scaled_and_shifted(x):
    scaled = x * 0.5
    return scaled + 2


pool = torch.cuda.graph_pool_handle()
left = torch.rand(4096, device="cuda")
right = torch.rand(4096, device="cuda")
first, second = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
with torch.cuda.graph(first, pool=pool):
    shifted = scaled_and_shifted(left)
with torch.cuda.graph(second, pool=pool):
    root = right.sqrt()
second.replay()
first.replay()  # cgsan: CG214
print(shifted.sum().item(), root.sum().item())
# --- fixed
import torch


def scaled_and_shifted(x):
    scaled = x * 0.5
    return scaled + 2


pool = torch.cuda.graph_pool_handle()
left = torch.rand(4096, device="cuda")
right = torch.rand(4096, device="cuda")
first, second = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
with torch.cuda.graph(first, pool=pool):
    shifted = scaled_and_shifted(left)
with torch.cuda.graph(second, pool=pool):
    root = right.sqrt()
first.replay()
second.replay()
print(shifted.sum().item(), root.sum().item())
# --- lookalike
import torch


def scaled_and_shifted(x):
    scaled = x * 0.5
    return scaled + 2


pool = torch.cuda.graph_pool_handle()
left = torch.rand(4096, device="cuda")
right = torch.rand(4096, device="cuda")
first, second = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
with torch.cuda.graph(first, pool=pool):
    shifted = scaled_and_shifted(left)
with torch.cuda.graph(second, pool=pool):
    root = right.sqrt()
second.replay()
kept = root.clone()
first.replay()
print(shifted.sum().item(), kept.sum().item())
