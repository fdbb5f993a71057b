"""`torch.cuda.graph` makes a side stream current; the replay may run on the default stream."""

import torch

a = torch.ones(64, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    b = a + 1
assert torch.cuda.current_stream() == torch.cuda.default_stream()
graph.replay()
