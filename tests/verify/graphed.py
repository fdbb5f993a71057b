"""A training loop of graphed callables, for `cgsan run --verify`: two are right, one holds a number, one a tensor of before."""

import torch
from torch import nn


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 8)
        self.scale = 1.0

    def forward(self, x):
        return self.linear(x) * self.scale


class Masked(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 8)
        self.mask = torch.ones(8, device="cuda")

    def forward(self, x):
        return self.linear(x) * self.mask


def gelu(x):
    return nn.functional.gelu(x)


def main():
    torch.manual_seed(0)
    right = nn.Sequential(nn.Linear(8, 8), nn.BatchNorm1d(8), nn.Dropout(0.5)).cuda()
    scaled, masked = Scaled().cuda(), Masked().cuda()
    x = torch.randn(4, 8, device="cuda")
    hidden = torch.randn(4, 8, device="cuda", requires_grad=True)
    parameters = [*right.parameters(), *scaled.parameters(), *masked.parameters()]
    right = torch.cuda.make_graphed_callables(right, (x,))
    activation, scaled, masked = torch.cuda.make_graphed_callables(
        (gelu, scaled, masked), ((hidden,), (hidden,), (hidden,))
    )
    optimizer = torch.optim.SGD(parameters, lr=0.01)
    for step in range(6):
        loss = masked(scaled(activation(right(torch.randn_like(x))))).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if step == 1:
            scaled.scale = 0.5
        if step == 2:
            masked.mask = torch.zeros(8, device="cuda")

    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        x * 2
    graph.replay()


if __name__ == "__main__":
    main()
