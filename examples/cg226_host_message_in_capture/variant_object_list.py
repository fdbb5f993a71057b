"""Rank 0 tells the others the temperature of each step; the replays use that of the capture."""

import torch
import torch.distributed as dist

dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
logits = torch.full((4,), 8.0, device="cuda")
staging = torch.ones(1, pin_memory=True)
temperature = torch.ones(1, device="cuda")
settings = [1.0]


def step():
    dist.broadcast_object_list(settings, src=0)  # cgsan: CG226
    staging.fill_(settings[0])
    temperature.copy_(staging, non_blocking=True)
    return logits / temperature


graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):  # cgsan: label
    y = step()

values = (2.0, 4.0, 8.0)
replayed, eager = [], []
for settings[0] in values:
    graph.replay()
    replayed.append(y[0].item())
for settings[0] in values:
    eager.append(step()[0].item())
print("replay", replayed, "eager", eager)
