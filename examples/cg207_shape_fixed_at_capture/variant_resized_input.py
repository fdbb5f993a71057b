"""`resize_` gives the static input more rows for a larger batch, and with them other memory than the graph reads."""

import torch

batches = [torch.full((rows, 256), float(rows), device="cuda") for rows in (4, 8, 16)]
static = torch.zeros(4, 256, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = static * 2  # cgsan: CG207

replayed, eager = [], []
for batch in batches:
    static.resize_(batch.shape)
    static.copy_(batch)
    graph.replay()  # cgsan: label
    replayed.append(y.sum().item())
    eager.append((static * 2).sum().item())
print("replay", replayed, "eager", eager)
