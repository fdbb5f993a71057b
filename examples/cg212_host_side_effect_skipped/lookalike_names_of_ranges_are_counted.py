"""The captured code numbers the ranges of a profile. Nothing else reads these numbers."""

import torch

counts = {"steps": 0}


def step(x):
    counts["steps"] += 1
    with torch.profiler.record_function(f"step {counts['steps']}"):
        return x * 2 + 1


x = torch.ones(4, device="cuda")
step(x)
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = step(x)
for value in (1.0, 2.0, 3.0):
    x.fill_(value)
    graph.replay()
    print("replay", y[0].item(), "eager", 2 * value + 1)
