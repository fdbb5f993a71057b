"""A captured copy from one static tensor needs no update: the tensor is filled before each replay."""

import torch

host = torch.tensor([1.0, 2.0]).pin_memory()
device = torch.tensor([3.0, 4.0], device="cuda")
x = torch.empty_like(device)
staging = torch.empty_like(device)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    x.copy_(staging)
for source in (host, device):
    staging.copy_(source, non_blocking=True)
    graph.replay()
    assert x.tolist() == source.tolist()
