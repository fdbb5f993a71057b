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
