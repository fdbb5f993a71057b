"""Two results are computed, and a flag says which one is returned; the graph goes on giving that of its capture."""

import torch

x = torch.tensor([1.0, 2.0, 6.0], device="cuda")
takes_mean = True


def pooled():
    mean = x * x.mean()  # cgsan: CG201
    peak = x * x.amax()
    return mean if takes_mean else peak


pooled()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = pooled()
for takes_mean in (True, False):
    for _ in range(2):
        graph.replay()
        print("replay", y[0].item(), "eager", pooled()[0].item())
