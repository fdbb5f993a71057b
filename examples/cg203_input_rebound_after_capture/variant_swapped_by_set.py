"""Two tensors exchange their storages with `set_`, and the graph goes on reading the first one."""

import torch

front = torch.full((8,), 1.0, device="cuda")
back = torch.full((8,), 2.0, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = front * 10  # cgsan: label

replayed, eager = [], []
for _ in range(4):
    graph.replay()  # cgsan: CG203
    replayed.append(y[0].item())
    eager.append((front * 10)[0].item())
    storage = front.untyped_storage()
    front.set_(back)
    back.set_(storage, 0, (8,))
print("replay", replayed, "eager", eager)
