"""`non_blocking=True` alone does not help: PyTorch refuses to capture a copy from unpinned memory."""

import torch

graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = torch.tensor([3.0]).to("cuda", non_blocking=True) * 2
graph.replay()
