"""The default stream cannot be forked from a capture: its wait is refused."""

import torch

weight = torch.ones(4, device="cuda", requires_grad=True)
hidden = weight * 2
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    loss = hidden.square().sum()
    torch.cuda.default_stream().wait_stream(torch.cuda.current_stream())
    loss.backward()
