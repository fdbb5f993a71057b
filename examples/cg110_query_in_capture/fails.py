"""A loop body polls an earlier step's event while the next step is being captured."""

import torch

x = torch.ones(1024, device="cuda")
previous = torch.cuda.Event()
previous.record()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x.cos()
    if not previous.query():  # cgsan: CG110
        print("still busy")
    z = y.sin()
graph.replay()
