# --- an object with a graph of its own, in a cycle that is collected
import gc

import torch

x = torch.ones(8, device="cuda")


class Holder:
    def __init__(self):
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.out = x + 1
        self.me = self


holder = Holder()
del holder
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x + 2
    gc.collect()  # cgsan: CG124
# --- an attribute is given another graph while that one is captured
import torch


class Runner:
    def __init__(self):
        self.graph = None

    def capture(self, x):
        fresh = torch.cuda.CUDAGraph()
        with torch.cuda.graph(fresh):
            y = x + 1
            self.graph = fresh  # cgsan: CG124
        return y


runner = Runner()
x = torch.ones(8, device="cuda")
runner.capture(x)
runner.capture(x)
# --- a signal that the program sends itself
import os
import signal

import torch


def report(number, frame):
    torch.cuda.synchronize()  # cgsan: CG101


signal.signal(signal.SIGUSR1, report)
x = torch.ones(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x + 1
    os.kill(os.getpid(), signal.SIGUSR1)
# --- silent: the cycle is collected before the capture
import gc

import torch

x = torch.ones(8, device="cuda")


class Holder:
    def __init__(self):
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.out = x + 1
        self.me = self


holder = Holder()
del holder
gc.collect()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x + 2
    gc.collect()
# --- silent: graphs of a cache are taken from it again and again
import torch


class Cache:
    def __init__(self):
        self.graphs = {}

    def __call__(self, x):
        key = tuple(x.shape)
        if key not in self.graphs:
            graph, static = torch.cuda.CUDAGraph(), x.clone()
            with torch.cuda.graph(graph):
                out = static * 2
            self.graphs[key] = (graph, static, out)
        graph, static, out = self.graphs[key]
        static.copy_(x)
        graph.replay()
        return out.clone()


cache = Cache()
cache(torch.ones(4, device="cuda"))
cache(torch.ones(8, device="cuda"))
# --- silent: a signal whose handler does other work, and one to another process
import os
import signal

import torch

seen = []
signal.signal(signal.SIGUSR1, lambda number, frame: seen.append(number))
signal.signal(signal.SIGUSR2, lambda number, frame: torch.cuda.synchronize())
x = torch.ones(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x + 1
    os.kill(os.getpid(), signal.SIGUSR1)
# --- silent: what checks is patched away
from unittest import mock

import torch


def validate(x):
    assert x.sum() > 0


def step(x):
    validate(x)
    return x * 2


x = torch.ones(4, device="cuda")
step(x)
graph = torch.cuda.CUDAGraph()
with mock.patch(f"{__name__}.validate", lambda x: None), torch.cuda.graph(graph):
    y = step(x)
