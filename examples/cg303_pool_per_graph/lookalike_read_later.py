"""The first graph's output is read after the second one ran, which would write there if they shared a pool."""

import torch

x = torch.empty(128 << 20, dtype=torch.uint8, device="cuda")
first, second = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
with torch.cuda.graph(second):
    temporary = x * 3
    summed = temporary[:1].clone()
    del temporary
with torch.cuda.graph(first):
    temporary = x * 2
    doubled = temporary * 2
    del temporary

for _ in range(3):
    first.replay()
    second.replay()
    (doubled[:1] + summed).clone()
torch.cuda.synchronize()
