# --- the weights of a module that only its function knew
import torch
from torch import nn


def export(width):
    model = nn.Sequential(nn.LayerNorm(width), nn.GELU()).cuda().eval()
    static = torch.zeros(4, width, device="cuda")
    with torch.no_grad():
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            out = model(static)  # cgsan: CG209
    return {"graph": graph, "input": static, "output": out}


program = export(64)
program["graph"].replay()
# --- a module of the program's own
import torch
from torch import nn


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(8)

    def forward(self, x):
        return self.norm(x)  # cgsan: CG209


class Runner:
    @torch.no_grad()
    def capture(self):
        head = Head().cuda()
        self.x = torch.zeros(4, 8, device="cuda")
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.y = head(self.x)


runner = Runner()
runner.capture()
runner.graph.replay()
# --- the argument of the first call is captured
import torch


class Graphed:
    def __init__(self, function):
        self.function = function
        self.graph = None

    def __call__(self, x):
        if self.graph is None:
            self.graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self.graph):
                self.out = self.function(x)
        self.graph.replay()
        return self.out.clone()


double = Graphed(lambda x: x * 2)  # cgsan: CG209
for _ in range(3):
    double(torch.rand(16, device="cuda"))
# --- a helper makes the input and keeps the output
import torch


def prepare():
    return torch.zeros(8, device="cuda")


def capture(graph, x):
    with torch.cuda.graph(graph):
        y = x * 2  # cgsan: CG209
    return y


def main():
    graph = torch.cuda.CUDAGraph()
    y = capture(graph, prepare())
    for _ in range(3):
        graph.replay()
    print(y.sum().item())


main()
# --- silent: the module is kept, in one way or another
import torch
from torch import nn

models = []


class Program:
    def __init__(self, graph, model):
        self.graph, self.model = graph, model


def make(register):
    first, second, third, fourth = (nn.LayerNorm(8).cuda() for _ in range(4))
    fifth = nn.LayerNorm(8).cuda()
    x = torch.zeros(4, 8, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.no_grad(), torch.cuda.graph(graph):
        y = first(x) + second(x) + third(x) + fourth(x) + fifth(x)
    models.append(first)
    register(second)

    def run(batch):
        x.copy_(batch)
        third.train()
        graph.replay()
        return y

    program = Program(graph, fourth)
    return run, program, fifth.state_dict(), list(fifth.parameters())


# --- silent: the output's history refers to the weights
import torch
from torch import nn


def make():
    model = nn.LayerNorm(8).cuda()
    x = torch.zeros(4, 8, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = model(x)
    return graph, x, y


graph, x, y = make()
graph.replay()
# --- silent: the model is an argument, or an attribute of one
import torch


@torch.no_grad()
def capture(model, trainer, x):
    graph = torch.cuda.CUDAGraph()
    head = trainer.head
    with torch.cuda.graph(graph):
        y = head(model(x))
    return graph, y


class Trainer:
    head = torch.nn.LayerNorm(8).cuda()


model, x = torch.nn.LayerNorm(8).cuda(), torch.zeros(4, 8, device="cuda")
trainer = Trainer()
graph, y = capture(model, trainer, x)
graph.replay()
# --- silent: the call that has the argument is still running
import torch


def run(x, turns):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = x * 2
    for _ in range(turns):
        graph.replay()
    return y.clone()


class Runner:
    def __init__(self, x):
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.y = x * 2
        self.graph.replay()


print(run(torch.ones(8, device="cuda"), 3))
Runner(torch.ones(8, device="cuda"))
# --- silent: what a loop or a context goes through is kept while it lasts
import torch


class Input:
    def __init__(self, x):
        self.x = x

    def __enter__(self):
        return self.x

    def __exit__(self, *error):
        return False


graph = None
for x in [torch.ones(8, device="cuda"), torch.zeros(8, device="cuda")]:
    if graph is None:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            y = x * 2
    graph.replay()
with Input(torch.ones(8, device="cuda")) as static:
    other = torch.cuda.CUDAGraph()
    with torch.cuda.graph(other):
        z = static * 2
    static = None
    other.replay()
# --- silent: tuples, dictionaries, partial functions and generators keep it
import functools
import itertools

import torch


def capture(x):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = x * 2
    return graph, x, y


def fill(static, value):
    static.fill_(value)


graph, *tensors = capture(torch.ones(8, device="cuda"))
graph.replay()
entry = dict(zip(("graph", "x", "y"), capture(torch.ones(8, device="cuda"))))
entry["graph"].replay()
graph, x, y = capture(torch.ones(8, device="cuda"))
filler = functools.partial(fill, x)
pairs = itertools.cycle([x, y])
kept = [*capture(torch.ones(8, device="cuda"))]
del x
filler(2.0)
graph.replay()
kept[0].replay()
# --- silent: a copy of the argument is captured
import torch


class Graphed:
    def __init__(self, function):
        self.function = function
        self.graph = None

    def __call__(self, x):
        if self.graph is None:
            self.static = x.clone()
            self.graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self.graph):
                self.out = self.function(self.static)
        self.static.copy_(x)
        self.graph.replay()
        return self.out.clone()


double = Graphed(lambda x: x * 2)
for _ in range(3):
    double(torch.rand(16, device="cuda"))
# --- silent: a cache keeps graph and input
import functools

import torch

pool = torch.cuda.graph_pool_handle()


@functools.lru_cache
def graph_of_all():
    static = torch.zeros(8, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, pool=pool):
        out = static * 2
    return graph, static, out


graph_of_all()[0].replay()
graph_of_all()[0].replay()
