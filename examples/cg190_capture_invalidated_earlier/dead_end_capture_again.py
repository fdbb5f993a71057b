"""The same work is captured again, with a new graph. The cause is still in it."""

import torch

x = torch.randn(8, device="cuda")


def step():
    y = x + 1
    y.sum().item()


try:
    with torch.cuda.graph(torch.cuda.CUDAGraph()):
        step()
except RuntimeError:
    torch.cuda.synchronize()
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    step()
