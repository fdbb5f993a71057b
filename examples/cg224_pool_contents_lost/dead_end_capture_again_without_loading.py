"""A new graph reads the same memory as the old one, and finds the same contents there."""

import torch

x = torch.ones(4, device="cuda")
weight = torch.full((4,), 3.0, device="cuda")
size = weight.untyped_storage().nbytes()
address = weight.data_ptr()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * weight

weight.untyped_storage().resize_(0)
activations = torch.full((4,), 7.0, device="cuda")
del activations
weight.untyped_storage().resize_(size)
assert weight.data_ptr() == address, "the weight is back where the graph reads it"
graph.reset()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * weight
graph.replay()
assert y.tolist() == [3, 3, 3, 3], y.tolist()
