# --- a captured layer captures itself at its first call
import torch


class Lazy:
    def __init__(self, function):
        self.function = function
        self.graph = None

    def __call__(self, x):
        if self.graph is None:
            self.graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self.graph):  # cgsan: CG122
                self.output = self.function(x)
        return self.output


layer = Lazy(lambda x: x + 1)
x = torch.ones(8, device="cuda")
outer = torch.cuda.CUDAGraph()
with torch.cuda.graph(outer):
    y = layer(x)
# --- two in one `with`
import torch
from torch.cuda import CUDAGraph, graph

x = torch.ones(8, device="cuda")
with graph(CUDAGraph()), graph(CUDAGraph()):  # cgsan: CG122
    y = x + 1
# --- by hand inside a manager, on the capturing stream
import torch


def inner(x):
    graph = torch.cuda.CUDAGraph()
    graph.capture_begin()  # cgsan: CG122
    y = x + 1
    graph.capture_end()
    return y


x = torch.ones(8, device="cuda")
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    y = inner(x)
# --- callables are graphed inside a capture
import torch

model = torch.nn.Linear(8, 8).cuda()
x = torch.ones(4, 8, device="cuda", requires_grad=True)
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    y = x * 2
    model = torch.cuda.make_graphed_callables(model, (x,))  # cgsan: CG122
# --- silent: one after the other, in a loop
import torch

x = torch.ones(8, device="cuda")
pool = torch.cuda.graph_pool_handle()
graphs = []
for size in (8, 4, 2):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, pool=pool):
        y = x[:size] + 1
    graphs.append(graph)
# --- silent: it captures only where nothing else does
import torch


def lazily(x):
    if torch.cuda.is_current_stream_capturing():
        return x + 1
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = x + 1
    return y


x = torch.ones(8, device="cuda")
lazily(x)
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    y = lazily(x)
# --- silent: a graph is only made inside
import torch

x = torch.ones(8, device="cuda")
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    y = x + 1
    spare = torch.cuda.CUDAGraph()
    manager = torch.cuda.graph(spare)
with manager:
    z = y + 1
# --- silent: the test expects that it fails
import pytest
import torch


def test_captures_do_not_nest():
    outer, inner = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
    with pytest.raises(RuntimeError):
        with torch.cuda.graph(outer):
            with torch.cuda.graph(inner):
                torch.ones(8, device="cuda")


# --- a module that captures itself where no gradients are asked for
import torch


class SelfGraphing(torch.nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner
        self.graph = None

    def forward(self, x):
        if torch.is_grad_enabled():
            return self.inner(x)
        if self.graph is None:
            self.x = x.clone()
            self.graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self.graph):  # cgsan: CG122
                self.y = self.inner(self.x)
        return self.y


encoder = SelfGraphing(torch.nn.LayerNorm(8)).cuda()
x = torch.zeros(1, 8, device="cuda")
whole = torch.cuda.CUDAGraph()
with torch.no_grad(), torch.cuda.graph(whole):
    out = encoder(x)
# --- silent: it captures itself only with gradients off, and here they are on
import torch


class SelfGraphing(torch.nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner
        self.graph = None

    def forward(self, x):
        if torch.is_grad_enabled():
            return self.inner(x)
        if self.graph is None:
            self.x = x.clone()
            self.graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self.graph):
                self.y = self.inner(self.x)
        return self.y


encoder = SelfGraphing(torch.nn.LayerNorm(8)).cuda()
x = torch.zeros(1, 8, device="cuda")
whole = torch.cuda.CUDAGraph()
with torch.cuda.graph(whole):
    out = encoder(x)
