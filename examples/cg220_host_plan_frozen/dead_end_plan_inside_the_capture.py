"""A plan that is made inside the capture from lengths on the device must copy them to the host, which is refused."""

import torch

tokens = torch.arange(8.0, device="cuda")
lengths = torch.tensor([2, 6], device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    plan = lengths.tolist()
    y = torch.stack([part.sum() for part in tokens.split(plan)])
graph.replay()
