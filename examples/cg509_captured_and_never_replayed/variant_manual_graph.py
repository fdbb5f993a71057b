"""A function is captured, and the loop goes on calling it where it should replay the graph."""

import torch

weight = torch.full((8, 8), 0.5, device="cuda")
x = torch.zeros(4, 8, device="cuda")


def step():
    hidden = torch.relu(x @ weight)
    return torch.sigmoid(hidden @ weight)


side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    step()
torch.cuda.current_stream().wait_stream(side)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):  # cgsan: label
    y = step()

before = torch.cuda.memory_stats()["allocation.all.allocated"]
for value in range(4):
    x.fill_(value)
    output = step()  # cgsan: CG509
after = torch.cuda.memory_stats()["allocation.all.allocated"]
print(f"{after - before} allocations in four steps; a replay makes none")
