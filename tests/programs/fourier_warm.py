"""A Fourier transform is captured after a warm-up."""

import torch

x = torch.ones(64, 64, device="cuda")
torch.fft.rfft(x)
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = torch.fft.rfft(x)
graph.replay()
