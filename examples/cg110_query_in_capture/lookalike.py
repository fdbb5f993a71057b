"""The program asks whether it is capturing, and for properties: any capture allows that."""

import torch

x = torch.ones(1024, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x.cos()
    if torch.cuda.is_current_stream_capturing():
        z = y.sin()
    torch.cuda.get_device_properties(0)
graph.replay()
