"""NumPy writes the next row number into pinned memory once an event says that the last replay has copied it."""

import torch

row = torch.zeros(1, dtype=torch.int64, pin_memory=True)
view = row.numpy()
index = torch.zeros(1, dtype=torch.int64, device="cuda")
seen = torch.zeros(8, dtype=torch.int64, device="cuda")


def step():
    index.copy_(row, non_blocking=True)
    seen.index_add_(0, index, torch.ones_like(index))


step()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    step()
seen.zero_()
torch.cuda.synchronize()
copied = torch.cuda.Event()
for number in range(8):
    view[0] = number
    graph.replay()
    copied.record()
    copied.synchronize()
print("replay", seen.tolist(), "eager", [1] * 8)
