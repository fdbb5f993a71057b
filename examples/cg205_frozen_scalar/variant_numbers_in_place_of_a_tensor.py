"""A rate is captured as a tensor, which another name keeps; a schedule then puts numbers in its place."""

import torch

default = torch.tensor(0.5, device="cuda")
options = {"rate": default}
x = torch.ones(4, device="cuda")


def step(x):
    return x * options["rate"]  # cgsan: CG205


step(x)
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = step(x)
for number in range(1, 4):
    options["rate"] = 1 / number
    graph.replay()  # cgsan: label
    print("replay", y.tolist(), "eager", step(x).tolist())
