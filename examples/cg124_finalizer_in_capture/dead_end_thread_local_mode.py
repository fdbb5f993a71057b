"""Mode `thread_local` forbids the capturing thread to destroy a graph just as `global` does."""

import torch

x = torch.ones(4, device="cuda")
old = torch.cuda.CUDAGraph()
with torch.cuda.graph(old):
    y = x + 1
new = torch.cuda.CUDAGraph()
with torch.cuda.graph(new, capture_error_mode="thread_local"):
    del old
    z = x + 2
new.replay()
