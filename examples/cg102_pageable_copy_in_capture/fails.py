"""A tensor in ordinary host memory is copied to the device inside a capture."""

import torch

weight = torch.zeros(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    ramp = torch.arange(8.0).cuda()  # cgsan: CG102
    weight += ramp
graph.replay()
