"""Forward and backward are captured as a whole."""

import torch

weight = torch.ones(4, device="cuda", requires_grad=True)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    hidden = weight * 2
    loss = hidden.square().sum()
    loss.backward()
graph.replay()
