"""A rate is a tensor for the capture alone; eager code has a number, which is written into that tensor before each replay."""

import torch

static = torch.tensor(0.5, device="cuda")
options = {"rate": static}
x = torch.ones(4, device="cuda")


def step(x):
    return x * options["rate"]


step(x)
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = step(x)
for number in range(1, 4):
    options["rate"] = 1 / number
    static.fill_(options["rate"])
    graph.replay()
    print("replay", y.tolist(), "eager", step(x).tolist())
