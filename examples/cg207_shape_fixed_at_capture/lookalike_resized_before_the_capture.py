"""`resize_` gives the static input its largest size before the capture, and smaller batches leave zeros behind."""

import torch

batches = [torch.full((rows, 256), float(rows), device="cuda") for rows in (4, 8, 16)]
static = torch.zeros(4, 256, device="cuda")
static.resize_(16, 256)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = static * 2

replayed, eager = [], []
for batch in batches:
    static.zero_()
    static[: len(batch)] = batch
    graph.replay()
    replayed.append(y.sum().item())
    eager.append((batch * 2).sum().item())
print("replay", replayed, "eager", eager)
