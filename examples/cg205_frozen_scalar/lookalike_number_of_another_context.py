"""Graphs are captured in contexts of their own, each with its number; they are replayed from outside of them."""

import contextvars

import torch

gain = contextvars.ContextVar("gain", default=1.0)


def model(x):
    return x * gain.get()


def build(value):
    gain.set(value)
    x = torch.zeros(4, device="cuda")
    model(x)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = model(x)
    return graph, x, y


built = {value: contextvars.copy_context().run(build, value) for value in (2.0, 3.0)}
for step in (1.0, 2.0, 3.0):
    for value, (graph, x, y) in built.items():
        x.fill_(step)
        graph.replay()
        print("replay", y[0].item(), "eager", value * step)
