"""What makes the batch writes it where the graph reads it."""

import torch

noise = torch.zeros(1024, 1024, device="cuda")
static = torch.zeros(1024, 1024, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    total = static.sum()

for step in range(20):
    torch.add(noise, step, out=static)
    graph.replay()
print(f"{total.item()} after {step + 1} replays")
