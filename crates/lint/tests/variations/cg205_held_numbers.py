# --- a temperature that the object keeps, set between the replays
import torch


class Sampler:
    def __init__(self, temperature):
        self.temperature = temperature
        self.logits = torch.zeros(8, device="cuda")
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.scaled = self.logits / self.temperature  # cgsan: CG205

    def run(self, logits, temperature):
        self.temperature = temperature
        self.logits.copy_(logits)
        self.graph.replay()
        return self.scaled.clone()


sampler = Sampler(1.0)
for step in range(3):
    sampler.run(torch.rand(8, device="cuda"), 1.0 / (step + 1))
# --- a rate of the program's own, lowered in the loop of the replays
import torch

weight = torch.ones(8, device="cuda")
gradient = torch.ones(8, device="cuda")
rate = 0.1
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    weight.sub_(gradient * rate)  # cgsan: CG205
for _ in range(4):
    graph.replay()
    rate *= 0.5
# --- a rate of an optimizer that a scheduler lowers
import torch

net = torch.nn.Linear(8, 8).cuda()
x = torch.rand(4, 8, device="cuda")
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
side = torch.cuda.Stream()
with torch.cuda.stream(side):
    net(x).sum().backward()
    optimizer.step()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    net(x).sum().backward()
    optimizer.step()  # cgsan: CG205
for _ in range(4):
    graph.replay()
    scheduler.step()
# --- the same by hand
import torch

parameter = torch.zeros(8, device="cuda", requires_grad=True)
optimizer = torch.optim.Adam([parameter], lr=0.1, capturable=True)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    optimizer.step()  # cgsan: CG205
for _ in range(4):
    for group in optimizer.param_groups:
        group["lr"] *= 0.9
    graph.replay()
# --- a number that is drawn while the graph is captured
import random

import torch

x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * random.uniform(0.9, 1.1)  # cgsan: CG205
for _ in range(4):
    graph.replay()
# --- silent: tensors, numbers that stay, numbers drawn before, and graphs that are captured anew
import random

import torch


class Scaled:
    def __init__(self):
        self.gain = torch.ones((), device="cuda")
        self.power = 2
        self.steps = 0
        self.x = torch.ones(8, device="cuda")
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.y = self.x.pow(self.power) * self.gain

    def run(self, gain):
        self.gain.fill_(gain)
        self.graph.replay()
        self.steps += 1
        return self.y.clone()


class Recorded:
    def __init__(self):
        self.width = 4
        self.x = torch.ones(8, device="cuda")

    def record(self):
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.y = self.x * self.width
        self.graph.replay()


scaled = Scaled()
jitter = random.uniform(0.9, 1.1)
for turn in range(3):
    scaled.run(turn * jitter)
recorded = Recorded()
recorded.record()
recorded.width = 8
recorded.record()
# --- silent: a graph for each number
import torch


class Servers:
    def __init__(self):
        self.x = torch.ones(64, device="cuda")
        self.graphs = {}
        self.size = 0
        self.pool = torch.cuda.graph_pool_handle()

    def record(self, size):
        self.size = size
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=self.pool):
            out = self.x[: self.size] * self.size
        self.graphs[size] = (graph, out)

    def run(self, size):
        self.size = size
        graph, out = self.graphs[size]
        graph.replay()
        return out.clone()


servers = Servers()
servers.record(8)
servers.record(16)
servers.run(8)
servers.run(16)
# --- silent: a number that the captured code sets itself, and one that another experiment uses
import torch

x = torch.ones(8, device="cuda")
factor = 1.0
first = torch.cuda.CUDAGraph()
with torch.cuda.graph(first):
    factor = 2.0
    y = x * factor
factor = 3.0
first.replay()
count = 4
second = torch.cuda.CUDAGraph()
with torch.cuda.graph(second):
    z = x * count
second.replay()
for count in range(3):
    second.replay()
# --- silent: drawn once, by the first call, which a capture is
import random

import torch


class Shifted:
    def __init__(self):
        self.shift = None
        self.scale = torch.ones((), device="cuda")

    def set_up(self):
        self.gain = random.uniform(0.9, 1.1)

    def forward(self, x):
        if self.shift is None:
            self.shift = random.randrange(4)
        if not hasattr(self, "gain"):
            self.set_up()
        return torch.roll(x, self.shift, 0) * self.gain * self.scale


x = torch.ones(8, device="cuda")
shifted = Shifted()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = shifted.forward(x)
for _ in range(4):
    shifted.scale.fill_(random.random())
    graph.replay()
# --- drawn by each call, which asks for something else
import random

import torch


class Shifted:
    def __init__(self):
        self.mask = None
        self.shift = None

    def forward(self, x):
        if self.mask is None:
            self.shift = random.randrange(4)
        return torch.roll(x, self.shift, 0)  # cgsan: CG205


x = torch.ones(8, device="cuda")
shifted = Shifted()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = shifted.forward(x)
for _ in range(4):
    graph.replay()
# --- drawn where it is unset, and unset again by each call
import random

import torch


class Shifted:
    def __init__(self):
        self.shift = None

    def forward(self, x):
        if self.shift is None:
            self.shift = random.randrange(4)
        y = torch.roll(x, self.shift, 0)  # cgsan: CG205
        self.shift = None
        return y


x = torch.ones(8, device="cuda")
shifted = Shifted()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = shifted.forward(x)
for _ in range(4):
    graph.replay()
# --- drawn once by a capture, and set to another number before a replay
import random

import torch


class Shifted:
    def __init__(self):
        self.shift = None

    def forward(self, x):
        if self.shift is None:
            self.shift = random.randrange(4)
        return torch.roll(x, self.shift, 0)  # cgsan: CG205


x = torch.ones(8, device="cuda")
shifted = Shifted()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = shifted.forward(x)
for turn in range(4):
    shifted.shift = turn
    graph.replay()
# --- changed for an eager call, and put back by two names at once
import torch


class Net:
    def __init__(self):
        self.scale = 1.0
        self.x = torch.ones(8, device="cuda")

    def forward(self):
        return self.x * self.scale


net = Net()
net.forward()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = net.forward()
for step in range(4):
    graph.replay()
    old, net.scale = net.scale, 0.5 * step
    print(net.forward().sum().item(), y.sum().item())
    net.scale = old
# --- changed for an eager call, and put back by a context
import torch


class Net:
    def __init__(self):
        self.scale = 1.0
        self.x = torch.ones(8, device="cuda")

    def forward(self):
        return self.x * self.scale


class At:
    def __init__(self, net, scale):
        self.net, self.scale = net, scale

    def __enter__(self):
        self.old = self.net.scale
        self.net.scale = self.scale

    def __exit__(self, *exception):
        self.net.scale = self.old


net = Net()
net.forward()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = net.forward()
for step in range(4):
    graph.replay()
    with At(net, 0.5 * step):
        print(net.forward().sum().item(), y.sum().item())
# --- set to the number of the capture again
import torch


class Net:
    def __init__(self):
        self.scale = 1.0
        self.x = torch.ones(8, device="cuda")

    def forward(self):
        return self.x * self.scale


net = Net()
net.forward()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = net.forward()
for step in range(4):
    graph.replay()
    net.scale = 0.5 * step
    print(net.forward().sum().item(), y.sum().item())
    net.scale = 1.0
# --- set to another number than that of the capture
import torch


class Net:
    def __init__(self):
        self.scale = 1.0
        self.x = torch.ones(8, device="cuda")

    def forward(self):
        return self.x * self.scale  # cgsan: CG205


net = Net()
net.forward()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = net.forward()
for step in range(4):
    graph.replay()
    net.scale = 0.5 * step
    print(net.forward().sum().item(), y.sum().item())
    net.scale = 2.0
# --- captured anew behind each change
import torch


class Solver:
    def __init__(self):
        self.rate = 0.5
        self.x = torch.ones(8, device="cuda")

    def step(self):
        self.x.mul_(1 - self.rate)

    def capture(self):
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.step()

    def adapt(self):
        self.graph.replay()
        if self.x.sum().item() > 1e-3:
            self.rate *= 0.5
            self.capture()


solver = Solver()
solver.capture()
for _ in range(5):
    solver.adapt()
# --- changed, and not captured anew
import torch


class Solver:
    def __init__(self):
        self.rate = 0.5
        self.x = torch.ones(8, device="cuda")

    def step(self):
        self.x.mul_(1 - self.rate)  # cgsan: CG205

    def capture(self):
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.step()

    def adapt(self):
        self.graph.replay()
        if self.x.sum().item() > 1e-3:
            self.rate *= 0.5


solver = Solver()
solver.capture()
for _ in range(5):
    solver.adapt()
# --- who changes it drops the graph
import torch


class Solver:
    def __init__(self):
        self.rate = 0.5
        self.graph = None
        self.x = torch.ones(8, device="cuda")

    def change(self, rate):
        if rate != self.rate:
            self.rate = rate
            self.graph = None

    def step(self):
        if self.graph is None:
            self.graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self.graph):
                self.x.mul_(1 - self.rate)
        self.graph.replay()


solver = Solver()
for step in range(6):
    solver.change(0.25 * (step // 2))
    solver.step()
# --- who changes it leaves the graph
import torch


class Solver:
    def __init__(self):
        self.rate = 0.5
        self.graph = None
        self.x = torch.ones(8, device="cuda")

    def change(self, rate):
        self.rate = rate

    def step(self):
        if self.graph is None:
            self.graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self.graph):
                self.x.mul_(1 - self.rate)  # cgsan: CG205
        self.graph.replay()


solver = Solver()
for step in range(6):
    solver.change(0.25 * (step // 2))
    solver.step()
# --- a graph that is reset for each capture
import torch

x = torch.ones(8, device="cuda")
x.mul_(1)
graph = torch.cuda.CUDAGraph()
for epoch in range(3):
    graph.reset()
    with torch.cuda.graph(graph):
        x.mul_(1 - 0.1 * epoch)
    for _ in range(3):
        graph.replay()
# --- silent: the number is an argument, and each change captures anew
from functools import partial

import torch


def leap(x, dt):
    x.mul_(1 - dt)


def twice(x, step):
    leap(x, step)
    leap(x, step)


class Integrator:
    def __init__(self, dt):
        self.x = torch.ones(4, device="cuda")
        self.dt = dt
        self.kernel = partial(leap, self.x)

    def capture(self):
        self.kernel(self.dt)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            leap(self.x, self.dt)
            twice(self.x, self.dt)
            self.kernel(dt=self.dt)

    def adapt(self):
        self.graph.replay()
        if self.x.sum().item() > 1e-3:
            self.dt *= 0.5
            self.capture()


sim = Integrator(0.2)
sim.capture()
for _ in range(5):
    sim.adapt()
# --- the same, and not captured anew
from functools import partial

import torch


def leap(x, dt):
    x.mul_(1 - dt)  # cgsan: CG205


class Integrator:
    def __init__(self, dt):
        self.x = torch.ones(4, device="cuda")
        self.dt = dt
        self.graph = None
        self.kernel = partial(leap, self.x)

    def capture(self):
        self.kernel(self.dt)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.kernel(self.dt)

    def adapt(self):
        self.dt *= 0.5
        if self.graph is None:
            self.capture()
        self.graph.replay()


sim = Integrator(0.2)
for _ in range(5):
    sim.adapt()
