"""A module takes the place of the lambda, so that its parameters are inputs of the graph."""

import torch


class Activated(torch.nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, x):
        return self.layer(x).relu()


layer = torch.nn.Linear(8, 8, device="cuda")
x = torch.ones(4, 8, device="cuda")
graphed = torch.cuda.make_graphed_callables(Activated(layer), (x,))
graphed(x).sum().backward()
assert layer.weight.grad is not None
