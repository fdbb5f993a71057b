"""A number is set for each request, in a copy of the context that the graph was captured in."""

import contextvars

import torch

gain = contextvars.ContextVar("gain", default=1.0)


def model(x):
    return x * gain.get()  # cgsan: CG205


x = torch.zeros(4, device="cuda")
model(x)
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = model(x)


def serve(value):
    gain.set(value)
    x.fill_(2.0)
    graph.replay()
    print("replay", y[0].item(), "eager", model(x)[0].item())


for value in (1.0, 2.0, 3.0):
    contextvars.copy_context().run(serve, value)
