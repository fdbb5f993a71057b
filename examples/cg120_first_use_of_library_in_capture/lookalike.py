"""Operators that appear first inside a capture, but are PyTorch's own and need no library."""

import torch

x = torch.ones(8, 64, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = torch.nn.functional.layer_norm(x, (64,)).softmax(dim=-1)
graph.replay()
