"""The model is loaded and captured where bfloat16 is the default dtype; the graph is replayed there and elsewhere."""

import contextlib

import torch


@contextlib.contextmanager
def default_dtype(dtype):
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


class Layer:
    def __init__(self):
        self.weight = torch.ones(4, 4, device="cuda")

    def __call__(self, x):
        return (x @ self.weight) * torch.full((4,), 0.5, device="cuda")


with default_dtype(torch.bfloat16):
    layer = Layer()
    x = torch.zeros(2, 4, device="cuda")
    layer(x)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = layer(x)
    graph.replay()

replayed = []
for number in range(4):
    x.fill_(float(number))
    graph.replay()
    replayed.append(y[0, 0].item())
print("replay", replayed, "eager", [0.0, 2.0, 4.0, 6.0])
