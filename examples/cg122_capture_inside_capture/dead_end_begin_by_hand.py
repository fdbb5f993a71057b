"""`capture_begin` by hand on another stream leaves out the wait, and is refused all the same."""

import torch

a = torch.ones(64, device="cuda")
outer = torch.cuda.CUDAGraph()
inner = torch.cuda.CUDAGraph()
with torch.cuda.graph(outer):
    b = a + 1
    with torch.cuda.stream(torch.cuda.Stream()):
        inner.capture_begin()
        c = a * 2
        inner.capture_end()
outer.replay()
