"""Mode `thread_local` for both captures: the inner one still waits for the device on entry."""

import torch

a = torch.ones(64, device="cuda")
outer = torch.cuda.CUDAGraph()
inner = torch.cuda.CUDAGraph()
with torch.cuda.graph(outer, capture_error_mode="thread_local"):
    b = a + 1
    with torch.cuda.graph(inner, capture_error_mode="thread_local"):
        c = a * 2
outer.replay()
