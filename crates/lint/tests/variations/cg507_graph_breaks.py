# --- a module's forward logs a number
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(8, 8)
        self.history = []

    def forward(self, x):
        y = self.layer(x)
        self.history.append(y.mean().item())  # cgsan: CG507
        return y


net = torch.compile(Net().cuda(), mode="reduce-overhead")
net(torch.ones(4, 8, device="cuda"))
# --- two calls below, by `print`
import torch
from torch import compile as optimize


def debug(x):
    print("shape", x.shape)  # cgsan: CG507


def step(x):
    debug(x)
    return x * 2


fast = optimize(step, mode="max-autotune")
fast(torch.ones(8, device="cuda"))
# --- asked for in words, with `options`
import torch


@torch.compile(options={"triton.cudagraphs": True})
def step(x):
    y = x * 2
    torch._dynamo.graph_break()  # cgsan: CG507
    return y.sin()


step(torch.ones(8, device="cuda"))
# --- silent: the compiler without graphs
import torch


@torch.compile(mode="default")
def step(x):
    print("step")
    return x * x.max().item()


step(torch.ones(8, device="cuda"))
# --- silent: what decides is known when it is compiled
import torch


@torch.compile(mode="reduce-overhead", fullgraph=True)
def step(x, scale=True):
    if scale and x.shape[0] > 4:
        x = torch.where(x > 0, x * 2, x)
    return x


out = step(torch.ones(8, device="cuda"))
print(out.sum().item())
# --- silent: a test of graph breaks
import torch

# file: breaks_test.py
import unittest

import torch


class Breaks(unittest.TestCase):
    def test_break(self):
        @torch.compile(mode="reduce-overhead")
        def compiled(x):
            y = x * 2
            torch._dynamo.graph_break()
            return y + 1

        compiled(torch.ones(8, device="cuda"))
