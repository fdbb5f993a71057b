"""The buffer is freed before the capture, and its memory goes back to the driver when the capture begins."""

import torch

MIB = 1 << 20
buffer = torch.empty(512 * MIB, dtype=torch.uint8, device="cuda").fill_(1)
del buffer
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = torch.empty(512 * MIB, dtype=torch.uint8, device="cuda").fill_(2)
graph.replay()
torch.cuda.synchronize()
