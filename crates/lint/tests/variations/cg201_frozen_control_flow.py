# --- the first steps are another computation than the later ones
import torch

x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
captured = False
for step in range(100):
    if not captured:
        with torch.cuda.graph(graph):
            if step < 10:  # cgsan: CG201
                y = x * 0.1
            else:
                y = x
        captured = True
    graph.replay()
# --- a schedule, in a method that captures at its first call
import torch


class Trainer:
    def __init__(self):
        self.x = torch.ones(8, device="cuda")
        self.graph = torch.cuda.CUDAGraph()
        self.captured = False

    def compute(self, epoch):
        if epoch % 2 == 0:  # cgsan: CG201
            return self.x * 2
        return self.x * 3

    def step(self, epoch):
        if not self.captured:
            with torch.cuda.graph(self.graph):
                self.y = self.compute(epoch)
            self.captured = True
        self.graph.replay()


trainer = Trainer()
for epoch in range(10):
    trainer.step(epoch)
# --- a conditional expression over what `enumerate` counts
import torch

batches = [torch.ones(8) for _ in range(4)]
static = torch.zeros(8, device="cuda")
graph = None
for index, batch in enumerate(batches):
    static.copy_(batch)
    if graph is None:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            y = static * 2 if index == 0 else static * 3  # cgsan: CG201
    graph.replay()
# --- silent: one graph for each branch
import torch

x = torch.ones(8, device="cuda")
pool = torch.cuda.graph_pool_handle()
graphs = {}
for step in range(100):
    warm = step < 10
    if warm not in graphs:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=pool):
            if warm:
                y = x * 0.1
            else:
                y = x * 1
        graphs[warm] = graph
    graphs[warm].replay()
# --- silent: the condition is settled before any loop
import torch


def step(x, use_bias):
    if use_bias:
        return x + 1
    return x


x = torch.ones(8, device="cuda")
for _ in range(3):
    step(x, True)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = step(x, use_bias=True)
for epoch in range(10):
    if epoch % 2 == 0:
        graph.replay()
# --- silent: a loop of its own inside the capture
import torch

x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    for layer in range(4):
        if layer % 2 == 0:
            x = x * 2
graph.replay()
# --- a count of the object's decides, and is counted at each replay
import torch


class Step:
    def __init__(self):
        self.calls = 0
        self.x = torch.ones(8, device="cuda")
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.step()

    def step(self):
        self.x.mul_(0.9)
        if self.calls % 2 == 0:  # cgsan: CG201
            self.x.add_(1)

    def __call__(self):
        self.graph.replay()
        self.calls += 1


step = Step()
for _ in range(4):
    step()
# --- a layer is dropped by chance, once
import random

import torch

layers = [torch.nn.Linear(8, 8).cuda() for _ in range(2)]
x = torch.ones(4, 8, device="cuda")
for layer in layers:
    layer(x)
graph = torch.cuda.CUDAGraph()
with torch.no_grad(), torch.cuda.graph(graph):
    y = x
    for layer in layers:
        if random.random() < 0.1:  # cgsan: CG201
            continue
        y = layer(y)
for _ in range(4):
    graph.replay()
# --- silent: the first turn keeps what it made, and a later one is captured
import contextlib

import torch

CAPTURED = 3
graph = torch.cuda.CUDAGraph()
x = torch.ones(8, device="cuda")
kept = []
for step in range(8):
    if step <= CAPTURED:
        context = torch.cuda.graph(graph) if step == CAPTURED else contextlib.nullcontext()
        with context:
            y = x * 2
            if step == 0:
                kept.append(y)
            else:
                kept[0].copy_(y)
        if step == CAPTURED:
            graph.replay()
    else:
        graph.replay()
# --- each other turn is another matter
import torch

graph = torch.cuda.CUDAGraph()
x = torch.ones(8, device="cuda")
for step in range(8):
    if step == 3:
        with torch.cuda.graph(graph):
            y = x * 2
            if step % 2 == 0:  # cgsan: CG201
                y = y + 1
    if step >= 3:
        graph.replay()
