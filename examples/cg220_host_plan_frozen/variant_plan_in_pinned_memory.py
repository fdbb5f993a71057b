"""Each step makes its plan on the host, in pinned memory, and copies it; replays copy that of the capture."""

import torch

rows = torch.arange(8.0, device="cuda")
index = torch.zeros(2, dtype=torch.long, device="cuda")
out = torch.zeros(2, device="cuda")
plan = [0, 1]


def step():
    planned = torch.tensor(plan).pin_memory()
    index.copy_(planned, non_blocking=True)  # cgsan: CG220
    out.copy_(rows[index])


step()
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):  # cgsan: label
    step()

replayed, eager = [], []
for number in range(1, 4):
    plan = [number, number + 1]
    graph.replay()  # cgsan: label
    replayed.append(out[1].item())
    step()
    eager.append(out[1].item())
print("replay", replayed, "eager", eager)
