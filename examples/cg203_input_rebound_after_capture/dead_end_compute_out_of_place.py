"""`x = x + 1` looks like an update and makes a new tensor, which the graph has never seen."""

import torch

position = torch.zeros(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = position * 2

captured = position.data_ptr()
kept = position
position = position + 1
graph.replay()
assert position.data_ptr() == captured, "the graph reads another block than the tensor"
