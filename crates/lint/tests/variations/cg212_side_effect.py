# --- a module counts its calls
import torch


class Counted(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls += 1  # cgsan: CG212
        return x * 2


module = Counted()
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = module(x)
for _ in range(3):
    graph.replay()
print(module.calls)
# --- a dictionary of statistics
import torch

stats = {"steps": 0}


def step(x):
    stats["steps"] += 1  # cgsan: CG212
    return x + 1


x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = step(x)
# --- a position that should move on at each token
import torch


class Decoder:
    def __init__(self):
        self.position = 0
        self.cache = torch.zeros(16, 8, device="cuda")

    def __call__(self, key):
        self.cache[self.position].copy_(key)
        self.position = self.position + 1  # cgsan: CG212


decoder = Decoder()
key = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    decoder(key)
# --- a `nonlocal` counter in a graphed callable
import torch


def make():
    calls = 0

    def forward(x):
        nonlocal calls
        calls += 1  # cgsan: CG212
        return x * 2

    return forward, lambda: calls


forward, count = make()
x = torch.ones(8, device="cuda", requires_grad=True)
graphed = torch.cuda.make_graphed_callables(forward, (x,))
# --- silent: counted where it is replayed
import torch


class Runner:
    def __init__(self):
        self.steps = 0
        self.x = torch.ones(8, device="cuda")
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.y = self.x * 2

    def run(self):
        self.graph.replay()
        self.steps += 1


Runner().run()
# --- silent: a local number, and one that a tensor holds
import torch


def stack(x):
    depth = 0
    for _ in range(4):
        x = x * 2
        depth += 1
    return x / depth


steps = torch.zeros((), device="cuda")
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = stack(x)
    steps += 1
# --- silent: counted, and read nowhere
import torch


class Counted(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        return x * 2


module = Counted().cuda()
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = module(x)
graph.replay()
# --- silent: only asked whether it was the first call, which a warm-up was
from dataclasses import dataclass

import torch


@dataclass
class State:
    cache: torch.Tensor
    offset: int


class Layer(torch.nn.Module):
    def forward(self, x, state):
        if state.offset > 0:
            y = x + state.cache
        else:
            y = x * 2
        state.cache.copy_(y)
        state.offset += x.size(0)
        return y


layer = Layer()
x = torch.ones(8, device="cuda")
state = State(torch.zeros(8, device="cuda"), offset=1)
layer(x, state)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = layer(x, state)
graph.replay()
# --- silent: the same, counted by an assignment
import torch


class Layer:
    def __init__(self, start):
        self.step = start

    def __call__(self, x):
        y = x if not self.step else x * 2
        self.step = self.step + 1
        return y


layer = Layer(1)
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = layer(x)
# --- the first call is captured: all replays do what it did
import torch


class Layer:
    def __init__(self):
        self.step = 0

    def __call__(self, x):
        y = x * 2 if self.step == 0 else x * 3
        self.step += 1  # cgsan: CG212
        return y


layer = Layer()
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = layer(x)
# --- compared with another number than zero
import torch


class Schedule:
    def __init__(self):
        self.step = 1

    def __call__(self, x):
        self.step += 1  # cgsan: CG212
        return x * 2 if self.step > 100 else x


schedule = Schedule()
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = schedule(x)
# --- read by its name only
import torch


class Meter:
    def __init__(self):
        self.seen = 0

    def update(self, x):
        self.seen += 1  # cgsan: CG212
        return x * 2


meter = Meter()
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = meter.update(x)
print(getattr(meter, "seen"))
# --- silent: each graph takes the next slot while it is captured
import torch


class Stages:
    def __init__(self, count):
        self.slots = [torch.zeros(4, device="cuda") for _ in range(count)]
        self.taken = 0
        self.graphs = []

    def stage(self, x):
        slot = self.slots[self.taken]
        self.taken += 1
        return torch.mul(x, 2, out=slot)

    def capture(self, x):
        for _ in self.slots:
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                x = self.stage(x)
            self.graphs.append(graph)
        return x


x = torch.zeros(4, device="cuda")
stages = Stages(3)
y = stages.capture(x)
for graph in stages.graphs:
    graph.replay()
# --- the same, and the program reads how many steps there were
import torch


class Stages:
    def __init__(self, count):
        self.slots = [torch.zeros(4, device="cuda") for _ in range(count)]
        self.taken = 0
        self.graphs = []

    def stage(self, x):
        slot = self.slots[self.taken]
        self.taken += 1  # cgsan: CG212
        return torch.mul(x, 2, out=slot)

    def capture(self, x):
        for _ in self.slots:
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                x = self.stage(x)
            self.graphs.append(graph)
        return x


x = torch.zeros(4, device="cuda")
stages = Stages(3)
y = stages.capture(x)
for graph in stages.graphs:
    graph.replay()
print(stages.taken)
# --- the same, and eager code takes the step, too
import torch


class Stages:
    def __init__(self, count):
        self.slots = [torch.zeros(4, device="cuda") for _ in range(count)]
        self.taken = 0
        self.graphs = []

    def stage(self, x):
        slot = self.slots[self.taken]
        self.taken += 1  # cgsan: CG212
        return torch.mul(x, 2, out=slot)

    def capture(self, x):
        for _ in self.slots:
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                x = self.stage(x)
            self.graphs.append(graph)
        return x


x = torch.zeros(4, device="cuda")
stages = Stages(3)
y = stages.capture(x)
for graph in stages.graphs:
    graph.replay()
stages.stage(x)
# --- silent: a number of the same name is read, of an object of another class
import torch


class Meter:
    def __init__(self):
        self.seen = 0

    def update(self, x):
        self.seen += len(x)
        return x * 2


class Loader:
    def __init__(self):
        self.seen = 0

    def batch(self):
        self.seen += 1
        return torch.ones(8, device="cuda")


meter, loader = Meter(), Loader()
x = loader.batch()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = meter.update(x)
graph.replay()
print(loader.seen)
# --- the same, and the captured object's own number is read
import torch


class Meter:
    def __init__(self):
        self.seen = 0

    def update(self, x):
        self.seen += len(x)  # cgsan: CG212
        return x * 2


class Loader:
    def __init__(self):
        self.seen = 0

    def batch(self):
        self.seen += 1
        return torch.ones(8, device="cuda")


meter, loader = Meter(), Loader()
x = loader.batch()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = meter.update(x)
graph.replay()
print(loader.seen, meter.seen)
# --- silent: repaired, the number is counted where the graph is replayed
import torch


class Meter:
    def __init__(self):
        self.seen = 0

    def update(self, x):
        return x * 2


meter = Meter()
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = meter.update(x)
graph.replay()
meter.seen += len(x)
print(meter.seen)
# --- silent: only the warm-up before the capture asks for it
import torch


class Step:
    def __init__(self):
        self.calls = 0

    def __call__(self, x):
        self.calls += 1
        return x * 2


step = Step()
x = torch.ones(8, device="cuda")
while step.calls < 3:
    step(x)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = step(x)
graph.replay()
# --- silent: what reads a number of this name is an unknown value, or no number
import sys

import torch


class Step:
    def __init__(self):
        self.calls = 0

    def __call__(self, x):
        self.calls += 1
        return x * 2


def report(profiler):
    print(profiler.calls, {"calls": 1}["calls"], sys.calls)


def limit(calls):
    return calls > 3


step = Step()
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = step(x)
graph.replay()
# --- read by methods of the same class that nobody here calls, above and below
import torch


class Runner:
    def __init__(self, width):
        self.steps = 0
        self.tokens = 0
        self.x = torch.ones(width, device="cuda")

    def report(self):
        print(self.steps)

    def capture(self):
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.y = self.x * 2
            self.steps += 1  # cgsan: CG212
            self.tokens += len(self.x)  # cgsan: CG212

    def throughput(self, seconds):
        return self.tokens / seconds


# --- silent: read by the constructor alone, which ran before
import torch


class Runner:
    def __init__(self, width):
        self.steps = 0
        self.first = self.steps + 1
        self.x = torch.ones(width, device="cuda")

    def capture(self):
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.y = self.x * 2
            self.steps += 1


# --- read by a method of the class that this one is made from
import torch


class Base:
    def __init__(self):
        self.steps = 0

    def report(self):
        print(self.steps)


class Runner(Base):
    def capture(self, x):
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.y = x * 2
            self.steps += 1  # cgsan: CG212


# --- silent: read by a method of another class that is made from the same one
import torch


class Base:
    def __init__(self):
        self.steps = 0


class Profiler(Base):
    def report(self):
        print(self.steps)


class Runner(Base):
    def capture(self, x):
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.y = x * 2
            self.steps += 1


# --- counted in another file, and read in this one
import torch
from meters import Meter

meter = Meter()
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = meter.update(x)
graph.replay()
print(meter.seen)


# file: meters.py
class Meter:
    def __init__(self):
        self.seen = 0

    def update(self, x):
        self.seen += 1  # cgsan: CG212
        return x * 2


# --- a global of a file, read through its module
import counters
import torch

x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = counters.step(x)
graph.replay()
print(counters.calls)
# file: counters.py
calls = 0


def step(x):
    global calls
    calls += 1  # cgsan: CG212
    return x * 2


# --- counted down: the loop that waits for zero never ends
import torch


class Trainer:
    def __init__(self, steps):
        self.left = 100

    def step(self, x):
        self.left -= 1  # cgsan: CG212
        return x * 2


trainer = Trainer(100)
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = trainer.step(x)
while trainer.left:
    graph.replay()
# --- silent: only asked whether there was a call at all, which a warm-up was
import torch


class Layer:
    def __init__(self):
        self.step = 0

    def __call__(self, x):
        y = x * 2 if self.step else x
        self.step += 1
        return y


layer = Layer()
x = torch.ones(8, device="cuda")
layer(x)
layer.step = 1
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = layer(x)
graph.replay()
# --- silent: an object that the captured code makes for itself
import torch


class Depth:
    def __init__(self):
        self.layers = 0


def stack(x):
    depth = Depth()
    for _ in range(4):
        depth.layers += 1
        x = x * depth.layers
    return x


x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = stack(x)
graph.replay()
# --- silent: nothing but captures takes the next slot, in a class that nobody here uses
import torch


class Stages:
    def __init__(self, count):
        self.slots = [torch.zeros(4, device="cuda") for _ in range(count)]
        self.taken = 0
        self.graphs = []
        self.pool = torch.cuda.graph_pool_handle()

    def next(self):
        return self.slots[self.taken]

    def forward(self, x):
        slot = self.next()
        self.taken += 1
        return torch.mul(x, 2, out=slot)

    def capture(self, x):
        for _ in self.slots:
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, pool=self.pool):
                x = self.forward(x)
            self.graphs.append(graph)
        return x


# --- each graph takes the next position, and so did the warm-up before
import torch


class Decoder:
    def __init__(self):
        self.position = 0
        self.cache = torch.zeros(16, 8, device="cuda")

    def __call__(self, key):
        self.cache[self.position].copy_(key)
        self.position += 1  # cgsan: CG212


decoder = Decoder()
keys = [torch.ones(8, device="cuda"), torch.zeros(8, device="cuda")]
graphs = []
for key in keys:
    decoder(key)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        decoder(key)
    graphs.append(graph)
for graph in graphs:
    graph.replay()
