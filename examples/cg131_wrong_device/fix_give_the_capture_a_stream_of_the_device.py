"""The capture runs on the device of the tensors, while another device is current."""

import torch

x = torch.ones(1 << 26, device="cuda:1")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, stream=torch.cuda.Stream(device=x.device)):
    y = x * 2
x.fill_(3)
graph.replay()
assert y[0].item() == 6
