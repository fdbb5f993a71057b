# --- a factory gives back the graph and forgets its input
import torch


def make(model):
    static = torch.zeros(4, 8, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.no_grad(), torch.cuda.graph(graph):
        out = model(static)  # cgsan: CG209
    return graph, out


graph, out = make(torch.nn.LayerNorm(8).cuda())
graph.replay()
# --- a closure keeps the graph only
import torch


def build():
    table = torch.arange(8.0, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = table * 2  # cgsan: CG209

    def run():
        graph.replay()
        return y

    return run


build()()
# --- deleted to save memory
import torch

static = torch.zeros(1024, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = static * 2
del static  # cgsan: CG209
torch.cuda.empty_cache()
graph.replay()
# --- a method keeps the graph in its object, its input in a local name
import torch


class Runner:
    def capture(self):
        mask = torch.ones(8, device="cuda")
        self.x = torch.zeros(8, device="cuda")
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.y = self.x * mask  # cgsan: CG209


runner = Runner()
runner.capture()
runner.graph.replay()
# --- silent: all is kept beside the graph
import torch


class Runner:
    def capture(self):
        self.mask = torch.ones(8, device="cuda")
        self.x = torch.zeros(8, device="cuda")
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.y = self.x * self.mask


def make():
    static = torch.zeros(8, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        out = static * 2
    return graph, static, out


runner = Runner()
runner.capture()
runner.graph.replay()
graph, *tensors = make()
graph.replay()
# --- silent: what was made inside the capture may be let go
import torch


def make(x):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        scratch = torch.zeros(8, device="cuda")
        y = x + scratch
        del scratch
    return graph, y


x = torch.ones(8, device="cuda")
graph, y = make(x)
graph.replay()
# --- silent: the graph ends with its function
import torch


def measure():
    x = torch.ones(8, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = x + 1
    graph.replay()
    return y.sum().item()


measure()
# --- a list of buffers is emptied before a replay
import torch

buffers = [torch.ones(8, device="cuda")]
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = buffers[0] * 2
buffers.clear()  # cgsan: CG209
graph.replay()
# --- silent: a runner captures anew for another shape, and lets graph and input go together
import torch


class Runner:
    def __init__(self, function):
        self.function = function
        self.graph = None
        self.x = None

    def record(self, example):
        self.x = example.clone()
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.y = self.function(self.x)

    def __call__(self, x):
        if self.graph is None or self.x.shape != x.shape:
            self.record(x)
        self.x.copy_(x)
        self.graph.replay()
        return self.y.clone()


runner = Runner(lambda x: torch.softmax(x, dim=-1))
for rows in (4, 4, 6):
    runner(torch.randn(rows, 10, device="cuda"))
# --- silent: a decorator keeps what the first call made
import functools

import torch


def graphed(function):
    state = {}

    @functools.wraps(function)
    def wrapper(*args):
        if not state:
            state["args"] = [it.clone() for it in args]
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                state["out"] = function(*state["args"])
            state["graph"] = graph
        for mine, given in zip(state["args"], args):
            mine.copy_(given)
        state["graph"].replay()
        return state["out"].clone()

    return wrapper


@graphed
def center(points):
    return points - points.mean(0)


for _ in range(3):
    center(torch.rand(16, 3, device="cuda"))
# --- silent: a dictionary keeps the graphs of a context manager
import contextlib

import torch

x = torch.ones(8, device="cuda")


class Pool:
    def __init__(self):
        self.options = {
            "pool": torch.cuda.graph_pool_handle(),
            "capture_error_mode": "thread_local",
        }

    @contextlib.contextmanager
    def capture(self):
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, **self.options):
            yield graph


pool = Pool()
table = {}
for rows in (8, 4, 2):
    with pool.capture() as graph:
        y = x[:rows] * 2
    table[rows] = (graph, y)
for rows in (2, 4):
    table[rows][0].replay()
# --- silent: one of several inputs that an attribute lists, by its number
import torch


class Stages:
    def __init__(self, count):
        make = lambda: torch.zeros(4, 4, device="cuda")
        self.inputs = [make() for _ in range(count)]
        self.goals = [make() for _ in range(count)]
        self.graphs = []
        pool = torch.cuda.graph_pool_handle()
        for i in range(count):
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, pool=pool):
                self.loss = self.run(i)
            self.graphs.append(graph)

    def run(self, i):
        return (self.inputs[i] * 2 - self.goals[i]).square().mean()

    def step(self, i):
        self.graphs[i].replay()


stages = Stages(3)
stages.step(1)
# --- one of several inputs that nothing lists any more
import torch


class Stages:
    def __init__(self):
        inputs = [torch.zeros(4, 4, device="cuda") for _ in range(3)]
        self.graphs = []
        pool = torch.cuda.graph_pool_handle()
        for i in range(3):
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, pool=pool):
                self.loss = inputs[i].square().mean()  # cgsan: CG209
            self.graphs.append(graph)


stages = Stages()
stages.graphs[1].replay()
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
