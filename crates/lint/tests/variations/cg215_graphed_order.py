# --- modules of a pipeline, one forward and one backward in turn
import torch


class Part(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(16, 16)

    def forward(self, x):
        return torch.tanh(self.inner(x)) * x


parts = [Part().cuda() for _ in (1, 2)]
batches = [torch.rand(4, 16, device="cuda", requires_grad=True) for _ in (1, 2)]
graphed = torch.cuda.make_graphed_callables((parts[0], parts[1]), ((batches[0],), (batches[1],)))


def schedule():
    early = graphed[0](batches[0])
    late = graphed[1](batches[1])
    early.mean().backward()
    late.mean().backward()  # cgsan: CG215


schedule()
# --- one callable runs twice before its backward
import torch


def energy(x):
    return (x * x).sin()


sample = torch.rand(64, device="cuda", requires_grad=True)
graphed = torch.cuda.make_graphed_callables(energy, (sample,))
one = torch.rand(64, device="cuda", requires_grad=True)
other = torch.rand(64, device="cuda", requires_grad=True)
first = graphed(one).sum()
second = graphed(other).sum()
first.backward()  # cgsan: CG215
second.backward()
# --- the second callable runs before the first one
import torch


def energy(x):
    return (x * x).sin()


one = torch.rand(64, device="cuda", requires_grad=True)
other = torch.rand(64, device="cuda", requires_grad=True)
low, high = torch.cuda.make_graphed_callables((energy, energy), ((one,), (other,)))
above = high(other)
below = low(one)
(above.sum() + below.sum()).backward()  # cgsan: CG215
# --- gradients by a function, in the order of the forwards
import torch


def energy(x):
    return (x * x).sin()


one = torch.rand(64, device="cuda", requires_grad=True)
other = torch.rand(64, device="cuda", requires_grad=True)
low, high = torch.cuda.make_graphed_callables((energy, energy), ((one,), (other,)))
below, above = low(one).sum(), high(other).sum()
slope = torch.autograd.grad(below, one)
steep = torch.autograd.grad(above, other)  # cgsan: CG215
print(slope, steep)
# --- silent: one backward pass through both
import torch


def energy(x):
    return (x * x).sin()


one = torch.rand(64, device="cuda", requires_grad=True)
low, high = torch.cuda.make_graphed_callables((energy, energy), ((one,), (one,)))
for _ in range(10):
    high(low(one)).sum().backward()
    one.grad = None
# --- silent: in order, step by step, with forwards alone between them
import torch


def energy(x):
    return (x * x).sin()


one = torch.rand(64, device="cuda", requires_grad=True)
other = torch.rand(64, device="cuda", requires_grad=True)
low, high = torch.cuda.make_graphed_callables((energy, energy), ((one,), (other,)))
for _ in range(10):
    below = low(one)
    above = high(other)
    above.sum().backward()
    below.sum().backward()
    with torch.no_grad():
        print(low(one).sum().item(), high(other).sum().item())
    one.grad = other.grad = None
# --- silent: each backward directly behind its forward
import torch


def energy(x):
    return (x * x).sin()


one = torch.rand(64, device="cuda", requires_grad=True)
graphed = torch.cuda.make_graphed_callables(energy, (one,))
for _ in range(10):
    graphed(one).sum().backward()
    one.grad = None
# --- silent: as many callables as there are inputs, each graphed by itself
import sys

import torch


def energy(x):
    return (x * x).sin()


inputs = [torch.rand(64, device="cuda", requires_grad=True) for _ in sys.argv]
graphed = [torch.cuda.make_graphed_callables(energy, (x,)) for x in inputs]
total = torch.zeros((), device="cuda")
for function, x in zip(graphed, inputs):
    total = total + function(x).sum()
total.backward()
# --- silent: how many callables there are is not known, and one backward pass comes to all
import sys

import torch


def energy(x):
    return (x * x).sin()


inputs = [torch.rand(64, device="cuda", requires_grad=True) for _ in sys.argv]
graphed = torch.cuda.make_graphed_callables(
    tuple(energy for _ in inputs), tuple((x,) for x in inputs)
)
total = torch.zeros((), device="cuda")
for function, x in zip(graphed, inputs):
    total = total + function(x).sum()
total.backward()
# --- silent: a package is told the order of a pipeline
import torch
from transformer_engine.pytorch import make_graphed_callables


def energy(x):
    return (x * x).sin()


one = torch.rand(64, device="cuda", requires_grad=True)
other = torch.rand(64, device="cuda", requires_grad=True)
low, high = make_graphed_callables((energy, energy), ((one,), (other,)), _order=[1, 2, -1, -2])
below = low(one)
above = high(other)
below.sum().backward()
above.sum().backward()
# --- silent: the first forward is for its value alone
import torch


def energy(x):
    return (x * x).sin()


one = torch.rand(64, device="cuda", requires_grad=True)
graphed = torch.cuda.make_graphed_callables(energy, (one,))
print(graphed(one).sum().item())
graphed(one).sum().backward()
