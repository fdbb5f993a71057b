"""The decision is part of the graph: each replay takes it anew."""

import torch

x = torch.full((64,), 2.0, device="cuda")
limit = torch.tensor(4.0, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    norm = x.norm()
    clipped = x * torch.where(norm > limit, limit / norm, torch.ones_like(norm))

for value in (2.0, 0.25):
    x.copy_(torch.full((64,), value))
    graph.replay()
    expected = min(value, 0.5)
    assert torch.allclose(clipped, torch.full_like(clipped, expected))
