"""The object that scaled the captured work is gone, and the module has another one of its name."""

import torch


class Scale:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, x):
        return x * self.factor


def captured(scale, x):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = scale(x)
    return graph, y


x = torch.zeros(4, device="cuda")
graph, y = captured(Scale(2.0), x)
scale = Scale(3.0)
replayed, eager = [], []
for number in range(4):
    x.fill_(float(number))
    graph.replay()
    replayed.append(y[0].item())
    eager.append(Scale(2.0)(x)[0].item())
print("replay", replayed, "eager", eager)
print("with another scale", scale(x)[0].item())
