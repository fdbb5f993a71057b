"""Rows that are masked need other work, which the host has to ask for: such batches run eagerly, and the graph is for all others."""

import torch

weight = torch.full((4,), 2.0, device="cuda")
other = torch.full((4,), 3.0, device="cuda")


def layer(x, mask):
    if not torch.cuda.is_current_stream_capturing() and bool(mask.any()):
        return torch.where(mask, x * other, x * weight)
    return x * weight


x = torch.ones(4, device="cuda")
none = torch.zeros(4, dtype=torch.bool, device="cuda")
layer(x, none)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = layer(x, none)

for step, value in enumerate((1.0, 2.0, 3.0, 4.0)):
    x.fill_(value)
    if step % 2:
        print("eager", layer(x, ~none)[0].item())
    else:
        graph.replay()
        print("replay", y[0].item(), "eager", layer(x, none)[0].item())
