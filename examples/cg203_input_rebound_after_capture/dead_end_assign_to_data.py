"""`.data =` keeps the Python object and gives it other memory; the graph keeps the old address."""

import torch

static = torch.zeros(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = static * 2

captured = static.data_ptr()
static.data = torch.ones(4, device="cuda")
graph.replay()
assert static.data_ptr() == captured, "the graph reads another block than the tensor"
