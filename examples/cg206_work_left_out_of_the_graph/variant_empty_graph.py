"""All of the step runs on the default stream, and the graph is empty."""

import torch


def on_default_stream(function):
    def run(*args):
        with torch.cuda.stream(torch.cuda.default_stream()):
            return function(*args)

    return run


@on_default_stream
def step(x, y):
    torch.mul(x, 2, out=y)  # cgsan: CG206


x, y = torch.ones(4, device="cuda"), torch.zeros(4, device="cuda")
step(x, y)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):  # cgsan: label
    step(x, y)

replayed, eager = [], []
for value in (2.0, 3.0):
    x.fill_(value)
    graph.replay()
    replayed.append(y[0].item())
    eager.append(value * 2)
print("replay", replayed, "eager", eager)
