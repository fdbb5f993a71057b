"""A function of a library waits for what it computes, however often it was called before."""

import torch

x = torch.randn(8, 8, device="cuda")
symmetric = x + x.T
torch.linalg.eigh(symmetric)
torch.cuda.synchronize()

g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    values, vectors = torch.linalg.eigh(symmetric)  # cgsan: CG101
g.replay()
