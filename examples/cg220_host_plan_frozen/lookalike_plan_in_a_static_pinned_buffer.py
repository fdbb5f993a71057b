"""The captured copy reads a pinned buffer from before the capture, which each step fills once the replay before is over."""

import torch

rows = torch.arange(8.0, device="cuda")
index = torch.zeros(2, dtype=torch.long, device="cuda")
out = torch.zeros(2, device="cuda")
plan = torch.zeros(2, dtype=torch.long).pin_memory()


def step():
    index.copy_(plan, non_blocking=True)
    out.copy_(rows[index])


step()
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    step()

replayed = []
for number in range(1, 4):
    plan.copy_(torch.tensor([number, number + 1]))
    graph.replay()
    torch.cuda.synchronize()
    replayed.append(out[1].item())
print("replay", replayed, "eager", [2.0, 3.0, 4.0])
