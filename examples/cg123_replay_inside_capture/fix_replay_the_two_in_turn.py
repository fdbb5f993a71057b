"""The two graphs are replayed in turn on one stream."""

import torch

x = torch.ones(8, device="cuda")
first = torch.cuda.CUDAGraph()
second = torch.cuda.CUDAGraph()
with torch.cuda.graph(first):
    y = x + 1
with torch.cuda.graph(second):
    z = y * 2
x.fill_(2)
first.replay()
second.replay()
torch.testing.assert_close(z, torch.full_like(z, 6))
