"""The captures are counted on another stream, and so are the replays. What another count of that stream holds, nobody asks."""

import torch

side = torch.cuda.Stream()
steps = torch.zeros(1, device="cuda")
calls = torch.zeros(1, device="cuda")
x = torch.zeros(4, device="cuda")


def count():
    with torch.cuda.stream(side):
        steps.add_(1)


def step():
    with torch.cuda.stream(side):
        calls.add_(1)
    return x * 2


torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    count()
    y = step()
for value in (1.0, 2.0, 3.0):
    x.fill_(value)
    graph.replay()
    count()
    print("replay", y[0].item(), "eager", 2 * value)
torch.cuda.synchronize()
print("steps", steps.item())
