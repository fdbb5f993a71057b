"""Deleting an input after the capture gives its memory to others, and the replay reads theirs."""

import torch

x = torch.tensor([1.0, 2.0], device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x.clone()

del x
other = torch.tensor([8.0, 9.0], device="cuda")
graph.replay()
assert y.tolist() == [1.0, 2.0], y.tolist()
